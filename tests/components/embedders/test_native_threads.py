"""Work shared among threads: all of it, once, errors told, from many callers; and the end of the process."""

import os
import threading

import pytest

from khub.components.embedders import native_threads
from khub.components.embedders.native_threads import available_cores, native_call, run_each
from khub.components.errors import KhubError

pytestmark = pytest.mark.unit


@pytest.mark.parametrize("threads", [1, 2, 9])
@pytest.mark.parametrize("count", [0, 1, 2, 500])
def test_each_item_once(threads: int, count: int):
    seen: list[int] = []
    run_each(seen.append, range(count), threads)
    assert sorted(seen) == list(range(count))


def test_one_thread_keeps_the_order():
    seen: list[int] = []
    run_each(seen.append, [3, 1, 2], 1)
    assert seen == [3, 1, 2]


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("error", [IndexError("7"), KeyboardInterrupt()])
def test_first_error_is_raised_and_ends_the_work(threads: int, error: BaseException):
    seen: list[int] = []

    def work(item: int) -> None:
        seen.append(item)
        if item == 7:
            raise error

    with pytest.raises(type(error)):
        run_each(work, range(100_000), threads)
    assert len(seen) < 100_000


def test_system_without_threads_left_does_the_work_with_fewer(monkeypatch: pytest.MonkeyPatch):
    def refuse(_: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", refuse)
    seen: list[int] = []
    run_each(seen.append, range(5), 4)
    assert seen == [0, 1, 2, 3, 4]


def test_helpers_are_daemons_and_gone_afterwards():
    seen: set[threading.Thread] = set()
    met = threading.Barrier(3)

    def work(_: int) -> None:
        met.wait(timeout=30)
        seen.add(threading.current_thread())

    run_each(work, range(3), 3)
    helpers = seen - {threading.current_thread()}
    assert len(helpers) == 2
    assert all(helper.daemon and not helper.is_alive() for helper in helpers)


def test_callers_do_not_wait_for_each_other():
    inside, release = threading.Event(), threading.Event()

    def slow(_: int) -> None:
        inside.set()
        release.wait(timeout=30)

    first = threading.Thread(target=run_each, args=(slow, range(8), 4))
    first.start()
    assert inside.wait(timeout=30)
    seen: list[int] = []
    run_each(seen.append, range(8), 4)
    assert len(seen) == 8
    assert first.is_alive()
    release.set()
    first.join()


def test_cores_of_this_process(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 3, 5}, raising=False)
    assert available_cores() == 3
    monkeypatch.delattr(os, "sched_getaffinity")
    monkeypatch.setattr(os, "cpu_count", lambda: 12)
    assert available_cores() == 12
    monkeypatch.setattr(os, "cpu_count", lambda: None)
    assert available_cores() == 1


def test_end_waits_for_calls_under_way_and_lets_no_other_begin(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(native_threads, "_ending", False)
    ended = threading.Event()

    def end() -> None:
        native_threads._wait_for_calls()
        ended.set()

    with native_call():
        ending = threading.Thread(target=end)
        ending.start()
        assert not ended.wait(timeout=0.1)
        with pytest.raises(KhubError, match="process is ending"), native_call():
            pass
    assert ended.wait(timeout=30)
    ending.join()


def test_end_does_not_wait_for_ever(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(native_threads, "_ending", False)
    monkeypatch.setattr(native_threads, "LONGEST_WAIT_S", 0.05)
    with native_call():
        native_threads._wait_for_calls()


def test_call_that_fails_is_over():
    with pytest.raises(ValueError, match="x"), native_call():
        raise ValueError("x")
    assert native_threads._calls == 0
