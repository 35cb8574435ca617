"""Shares work among threads, and keeps the process from ending in the middle of a native call."""

import atexit
import os
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager

from khub.components.errors import KhubError

LONGEST_WAIT_S = 10.0  # a native call that takes longer is left to its fate

_state = threading.Condition()
_calls = 0
_ending = False


def available_cores() -> int:
    """Return how many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):  # not on macOS and Windows
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def run_each(work: Callable[[int], None], items: Iterable[int], threads: int) -> None:
    """Call `work` with each item, in the caller's thread and up to `threads` - 1 others.

    The threads are made for the call: it may come from several threads at the same time, none waits for another's
    work, a single item needs no thread, and nothing that is left over keeps the process alive.

    :param work: called from several threads at the same time.
    :param items: in the order in which they are started.
    :param threads: at least 1.
    :raises BaseException: the first that `work` raised; no further item is started then.
    """
    waiting = deque(items)
    errors: list[BaseException] = []

    def take() -> None:
        try:
            for item in _taken(waiting):
                work(item)
        except BaseException as error:
            waiting.clear()
            errors.append(error)

    helpers = _start_helpers(take, min(threads, len(waiting)) - 1)
    take()
    for helper in helpers:
        helper.join()
    if errors:
        raise errors[0]


def _taken(waiting: deque[int]) -> Iterator[int]:
    while True:
        try:
            item = waiting.popleft()
        except IndexError:
            return
        yield item


def _start_helpers(take: Callable[[], None], count: int) -> list[threading.Thread]:
    helpers: list[threading.Thread] = []
    for _ in range(count):
        helper = threading.Thread(target=take, name="embed", daemon=True)
        try:
            helper.start()
        except RuntimeError:  # the system has no thread left, or the process ends: fewer do the work
            break
        helpers.append(helper)
    return helpers


@contextmanager
def native_call() -> Iterator[None]:
    """Run a native library that gives the interpreter's lock away meanwhile.

    A daemon thread that comes back from such a call after the interpreter has ended aborts the whole process (the
    destructor of pybind11's `gil_scoped_release` may not unwind), so the end waits for calls under way.

    :raises KhubError: when the process is about to end.
    """
    global _calls  # noqa: PLW0603
    with _state:
        if _ending:
            raise KhubError(
                "the process is ending, no text is embedded any more",
                "ask again when it has started",
                code="embedding_failed",
            )
        _calls += 1
    try:
        yield
    finally:
        with _state:
            _calls -= 1
            _state.notify_all()


@atexit.register
def _wait_for_calls() -> None:
    global _ending  # noqa: PLW0603
    with _state:
        _ending = True
        _state.wait_for(lambda: not _calls, LONGEST_WAIT_S)
