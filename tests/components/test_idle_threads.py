import gc
import threading
import time
import weakref
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from khub.components.idle_threads import IDLE, IdleThreads

pytestmark = pytest.mark.unit

PATIENCE_S = 20


@pytest.fixture
def hold() -> Iterator[threading.Event]:
    event = threading.Event()
    yield event
    event.set()


def wait_until(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.002)


class Worked:
    """Work that notes in which thread it was done, and under which name."""

    def __init__(self, until: threading.Event | None = None) -> None:
        self.until = until
        self.threads: list[threading.Thread] = []
        self.names: list[str] = []

    def __call__(self) -> None:
        self.names.append(threading.current_thread().name)
        self.threads.append(threading.current_thread())
        if self.until:
            self.until.wait(PATIENCE_S)


def all_idle(work: Worked, times: int) -> bool:
    return len(work.threads) == times and all(thread.name == IDLE for thread in work.threads)


def test_an_idle_thread_does_the_next_work_under_its_name() -> None:
    threads, work = IdleThreads(), Worked()
    for times, name in enumerate(("one", "two", "three"), start=1):
        threads.start(work, name)
        wait_until(lambda times=times: all_idle(work, times))  # type: ignore[misc]

    assert len(set(work.threads)) == 1
    assert work.names == ["one", "two", "three"]
    assert work.threads[0].daemon


def test_work_waits_for_none_that_goes_on(hold: threading.Event) -> None:
    threads, hanging, other = IdleThreads(), Worked(hold), Worked()
    for _ in range(3):
        threads.start(hanging, "hanging")
    wait_until(lambda: len(hanging.threads) == 3)
    for times in range(1, 4):
        threads.start(other, "other")
        wait_until(lambda times=times: all_idle(other, times))  # type: ignore[misc]

    assert not hold.is_set()
    assert len(set(hanging.threads)) == 3
    assert set(other.threads).isdisjoint(hanging.threads)

    hold.set()
    wait_until(lambda: all_idle(hanging, 3))
    threads.start(other, "other")
    wait_until(lambda: len(other.threads) == 4)
    assert other.threads[-1] in {*hanging.threads, *other.threads[:3]}


def test_threads_beyond_the_most_end(hold: threading.Event) -> None:
    threads, burst = IdleThreads(most_idle=3), Worked(hold)
    for _ in range(8):
        threads.start(burst, "burst")
    wait_until(lambda: len(burst.threads) == 8)
    hold.set()

    wait_until(lambda: sum(thread.is_alive() for thread in burst.threads) == 3)


def test_a_thread_without_work_ends() -> None:
    threads, work = IdleThreads(idle_s=0.01), Worked()
    threads.start(work, "one")
    wait_until(lambda: bool(work.threads) and not work.threads[0].is_alive())

    threads.start(work, "two")
    wait_until(lambda: work.names == ["one", "two"])


class GivenAtTheEnd(IdleThreads):
    """Gives a thread further work at the moment when it has waited long enough."""

    def __init__(self, further: Callable[[], None]) -> None:
        super().__init__(idle_s=0.01)
        self.further = [further]

    def _withdrawn(self, inbox: Any) -> bool:
        if self.further:
            self.start(self.further.pop(), "further")
        return super()._withdrawn(inbox)


def test_work_that_comes_when_a_thread_is_about_to_end_is_done() -> None:
    further, work = Worked(), Worked()
    GivenAtTheEnd(further).start(work, "one")

    wait_until(lambda: bool(further.threads))
    assert further.threads == work.threads


def test_an_idle_thread_holds_nothing_of_its_work() -> None:
    threads, worked = IdleThreads(), [Worked()]
    threads.start(worked[0], "one")
    wait_until(lambda: all_idle(worked[0], 1))
    thread, gone = worked[0].threads[0], weakref.ref(worked.pop())
    gc.collect()

    assert gone() is None
    assert thread.is_alive()


def test_an_exception_ends_the_thread_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    raised: list[BaseException | None] = []
    monkeypatch.setattr(threading, "excepthook", lambda args: raised.append(args.exc_value))
    threads, work, failed = IdleThreads(), Worked(), Worked()

    def fail() -> None:
        failed()
        raise ValueError("x")

    threads.start(fail, "fails")
    wait_until(lambda: bool(failed.threads) and not failed.threads[0].is_alive())
    threads.start(work, "one")
    wait_until(lambda: all_idle(work, 1))

    assert [str(error) for error in raised] == ["x"]
