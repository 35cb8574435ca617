"""Whether the run of a graph is still wanted: a component that works long asks between its steps.

A thread cannot be ended from outside, so that a cancelled run goes on inside of the component that it has reached.
"""

import asyncio
import contextlib
import contextvars
import threading
from collections.abc import Callable, Iterator

from khub.components.call_time import time_left
from khub.components.errors import KhubError


class RunCancelledError(KhubError):
    """A run that nobody waits for any more."""

    code = "run_cancelled"


class _AtWork:
    """How many threads of this process work for runs."""

    def __init__(self) -> None:
        self.threads = 0
        self._lock = threading.Lock()

    def count(self, more: int) -> None:
        """Let there be so many more."""
        with self._lock:
            self.threads += more


_at_work = _AtWork()


def threads_at_work() -> int:
    """Return how many threads of this process work for runs, also for those that nobody waits for any more."""
    return _at_work.threads


class Run:
    """A run of a graph, and the threads that work for it, which may go on for a while after it is cancelled."""

    def __init__(self) -> None:
        self.cancelled = threading.Event()
        self._lock = threading.Lock()
        self._threads = 0
        self._waiting: list[Callable[[], object]] = []

    def thread_begins(self) -> None:
        """Count a thread that works for it."""
        _at_work.count(1)
        with self._lock:
            self._threads += 1

    def thread_ends(self) -> None:
        """Count it no more."""
        _at_work.count(-1)
        with self._lock:
            self._threads -= 1
            told = [] if self._threads else self._waiting
            self._waiting = self._waiting if self._threads else []
        for call in told:
            call()

    def when_no_thread_works(self, call: Callable[[], object]) -> None:
        """Call something, at once or when the last thread has ended, on that thread."""
        with self._lock:
            if self._threads:
                self._waiting.append(call)
                return
        call()


_RUN: contextvars.ContextVar[Run | None] = contextvars.ContextVar("khub_run", default=None)


def current_run() -> Run | None:
    """Return the run that this code works for; None where it is no graph's."""
    return _RUN.get()


@contextlib.contextmanager
def cancellable(run: Run | None = None) -> Iterator[None]:
    """Tell the components that the block runs when its task is cancelled.

    :param run: what they work for; a new one if None.
    """
    run = run or Run()
    token = _RUN.set(run)
    try:
        yield
    except asyncio.CancelledError:
        run.cancelled.set()
        raise
    finally:
        _RUN.reset(token)


def stop_if_cancelled() -> None:
    """Do nothing while the run is wanted, and the time of the call that this code is in is not over.

    :raises RunCancelledError: once it is not.
    """
    run = _RUN.get()
    if run is not None and run.cancelled.is_set():
        raise RunCancelledError("the run was cancelled")
    if time_left() <= 0:
        raise RunCancelledError("the time for it is over")
