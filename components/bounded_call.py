"""Call something in a daemon thread, and give up waiting for it in time."""

import contextvars
import math
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from functools import partial
from typing import Any, TypeVar

from components.idle_threads import SHARED

T = TypeVar("T")


class NoAnswerError(TimeoutError):
    """A call that is given up, or not made because too many others hang."""


class BoundedCalls:
    """Makes calls in daemon threads (see `IdleThreads`), of which a bounded number may hang.

    A thread that hangs cannot be stopped. It delays neither other calls nor the end of the process, and once `max_hung`
    calls hang no further one is started until one of them ends (the bulkhead of M. Nygard, *Release It!*). Calls
    already under way at that moment run on, so a burst can leave more than `max_hung` behind.

    :param name: of the threads.
    :param max_hung: so many calls may hang before further ones are refused, 1 or more.
    """

    def __init__(self, name: str, max_hung: int = 1) -> None:
        self._name = name
        self._max_hung = max_hung
        self._lock = threading.Lock()
        self._deadlines: dict[Future[Any], float] = {}

    def start(self, work: Callable[[], T], timeout_s: float = math.inf) -> Future[T]:
        """Call something, with this thread's context.

        :param work: what is called.
        :param timeout_s: seconds after which it counts as hung.
        :returns: what it returns or raises; a `NoAnswerError` where too many calls hang.
        """
        call: Future[T] = Future()
        call.set_running_or_notify_cancel()  # nobody can cancel it
        now = time.monotonic()
        with self._lock:
            hung = sum(deadline <= now for deadline in self._deadlines.values())
            if hung >= self._max_hung:
                call.set_exception(NoAnswerError(f"busy: {hung} calls still hang"))
                return call
            self._deadlines[call] = now + timeout_s
        try:
            SHARED.start(partial(contextvars.copy_context().run, self._work, call, work), self._name)
        except RuntimeError as error:  # the system has no thread left
            self._end(call).set_exception(error)
        return call

    def give_up(self, call: Future[Any], waited_s: float) -> NoAnswerError:
        """Count a call as hung from now on until it ends, and return the error that says so."""
        with self._lock:
            if call in self._deadlines:
                self._deadlines[call] = -math.inf  # timers may fire a little early
        return NoAnswerError(f"no answer in {waited_s:g} s")

    def _work(self, call: Future[T], work: Callable[[], T]) -> None:
        try:
            result = work()
        except BaseException as error:
            self._end(call).set_exception(error)
        else:
            self._end(call).set_result(result)

    def _end(self, call: Future[T]) -> Future[T]:
        with self._lock:
            del self._deadlines[call]
        return call
