"""Call something in a daemon thread, and give up waiting for it in time."""

import asyncio
import contextlib
import contextvars
import math
import threading
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future
from concurrent.futures import wait as wait_for_futures
from functools import partial
from typing import Any, TypeVar

from khub.components.call_time import LOADING_S, CallTime
from khub.components.cancellation import current_run
from khub.components.idle_threads import SHARED

T = TypeVar("T")


class NoAnswerError(TimeoutError):
    """A call that is given up, or not made because too many others hang."""


class BusyError(NoAnswerError):
    """A call that is not made because too many others hang."""


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
        self._times: dict[Future[Any], CallTime] = {}

    def start(self, work: Callable[[], T], timeout_s: float = math.inf) -> Future[T]:
        """Call something, with this thread's context.

        :param work: what is called.
        :param timeout_s: seconds after which it counts as hung.
        :returns: what it returns or raises; a `NoAnswerError` where too many calls hang.
        """
        call: Future[T] = Future()
        call.set_running_or_notify_cancel()  # nobody can cancel it
        time_ = CallTime(timeout_s)
        with self._lock:
            hung = sum(other.left() <= 0 for other in self._times.values())
            if hung >= self._max_hung:
                call.set_exception(BusyError(f"busy: {hung} calls still hang"))
                return call
            self._times[call] = time_
        run = current_run()
        if run is not None:
            run.thread_begins()
            call.add_done_callback(lambda _: run.thread_ends())
        try:
            SHARED.start(partial(contextvars.copy_context().run, self._work, call, time_, work), self._name)
        except RuntimeError as error:  # the system has no thread left
            self._end(call).set_exception(error)
        return call

    def wait(self, call: Future[Any], *others: Future[Any]) -> None:
        """Wait until a call ends, its time is over, or one of `others` is done."""
        while not call.done() and not any(other.done() for other in others):
            left, loads = self._left(call)
            if left <= 0:
                return
            wait_for_futures([call, *others, *loads], None if left == math.inf else left, FIRST_COMPLETED)

    async def wait_async(self, call: Future[Any]) -> None:
        """Do what `wait` does, without blocking the event loop."""
        while not call.done():
            left, loads = self._left(call)
            if left <= 0:
                return
            await _one_done([call, *loads], left)

    def give_up(self, call: Future[Any], waited_s: float, hangs: bool = True) -> NoAnswerError:
        """Count a call as hung from now on until it ends, and return the error that says so.

        :param hangs: whether it is to blame; False where it never had its whole time.
        """
        with self._lock:
            time_ = self._times.get(call)
        if time_ is not None:
            loads = time_.loads()
            server = time_.give_up(hangs)
            if loads:
                return NoAnswerError(f"its model was not loaded in {LOADING_S:g} s")
            if server:
                remedy = "see that it runs, or raise timeout_s of the stage"
                return NoAnswerError(f"no answer from {server} in {waited_s:g} s: {remedy}")
        return NoAnswerError(f"no answer in {waited_s:g} s")

    def _left(self, call: Future[Any]) -> tuple[float, list[Future[None]]]:
        with self._lock:
            time_ = self._times.get(call)
        return (time_.left(), time_.loads()) if time_ else (math.inf, [])

    def _work(self, call: Future[T], time_: CallTime, work: Callable[[], T]) -> None:
        try:
            with time_.entered():
                result = work()
        except BaseException as error:
            self._end(call).set_exception(error)
        else:
            self._end(call).set_result(result)

    def _end(self, call: Future[T]) -> Future[T]:
        with self._lock:
            del self._times[call]
        return call


async def _one_done(futures: list[Future[Any]], timeout_s: float) -> None:
    """Wait until one ends or the time is over; `asyncio.wait` would take several rounds of the loop for it."""
    loop = asyncio.get_running_loop()
    waiter = loop.create_future()

    def wake() -> None:
        if not waiter.done():
            waiter.set_result(None)

    def tell(_: Future[Any]) -> None:
        with contextlib.suppress(RuntimeError):  # the loop may be closed when a hung call ends
            loop.call_soon_threadsafe(wake)

    timer = loop.call_later(timeout_s, wake) if timeout_s < math.inf else None
    for future in futures:
        future.add_done_callback(tell)
    try:
        await waiter
    finally:
        if timer is not None:
            timer.cancel()
