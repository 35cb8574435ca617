"""The time that a bounded call has: it stands still while a model is loaded, and who waits in it is told of its end."""

import contextlib
import contextvars
import math
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future

from haystack import tracing

LOADING_S = 600.0
"""Seconds that a model may take to be loaded, its download included."""
SPAN = "load"


class CallTime:
    """The time of one call; calls inside of it have a time of their own, and lie within this one.

    :param timeout_s: seconds that the call may take.
    """

    def __init__(self, timeout_s: float) -> None:
        self._outer = _CURRENT.get()
        self._timeout_s = timeout_s
        self._end = time.monotonic() + timeout_s
        self._lock = threading.Lock()
        self._loads: dict[Future[None], float] = {}
        self._told: list[Callable[[float, bool], str]] = []

    def left(self) -> float:
        """Return the seconds that are left: of the call, or of what is being loaded for it."""
        with self._lock:
            end = max(self._loads.values(), default=self._end) if self._end > -math.inf else self._end
        return end - time.monotonic()

    def loads(self) -> list[Future[None]]:
        """Return what is done once something is loaded."""
        with self._lock:
            return list(self._loads)

    def give_up(self, hangs: bool) -> str:
        """Let the time be over, and tell those in the call who want to know how long it was, and whether it hangs.

        :returns: the server that is waited for, as one of them names it; empty for none.
        """
        with self._lock:
            self._end = -math.inf
            told = list(self._told)
        return next(filter(None, [tell(self._timeout_s, hangs) for tell in told]), "")

    def chain(self) -> Iterator["CallTime"]:
        """Yield this time, and those around it."""
        yield self
        if self._outer is not None:
            yield from self._outer.chain()

    @contextlib.contextmanager
    def entered(self) -> Iterator[None]:
        """Let the block run in this time."""
        token = _CURRENT.set(self)
        try:
            yield
        finally:
            _CURRENT.reset(token)

    def _stop(self, loaded: "Future[None]", limit_s: float) -> None:
        with self._lock:
            self._loads[loaded] = time.monotonic() + limit_s

    def _go_on(self, loaded: "Future[None]", taken_s: float) -> None:
        with self._lock:
            del self._loads[loaded]
            self._end += taken_s


_CURRENT: contextvars.ContextVar[CallTime | None] = contextvars.ContextVar("khub_call_time", default=None)
_LOADING: contextvars.ContextVar[bool] = contextvars.ContextVar("khub_loading", default=False)


def time_left() -> float:
    """Return the seconds that this code has; infinity where nobody waits for it."""
    time_ = _CURRENT.get()
    return min((one.left() for one in time_.chain()), default=math.inf) if time_ else math.inf


@contextlib.contextmanager
def loading() -> Iterator[None]:
    """Let the block load a model: that does not count against the time of any call around it.

    It stands in the trace as a span of its own, `load`.
    """
    if _LOADING.get():  # of a model that is loaded inside of another one's loading
        yield
        return
    time_ = _CURRENT.get()
    around = list(time_.chain()) if time_ else []
    loaded: Future[None] = Future()
    begun = time.monotonic()
    token = _LOADING.set(True)
    for one in around:
        one._stop(loaded, LOADING_S)
    try:
        with tracing.tracer.trace(SPAN):
            yield
    finally:
        _LOADING.reset(token)
        for one in around:
            one._go_on(loaded, time.monotonic() - begun)
        loaded.set_result(None)


@contextlib.contextmanager
def told_when_given_up(tell: Callable[[float, bool], str]) -> Iterator[None]:
    """Have `tell` called when one of the calls around the block is given up before the block ends.

    :param tell: returns the server that the block waits for.
    """
    time_ = _CURRENT.get()
    around = list(time_.chain()) if time_ else []
    for one in around:
        with one._lock:
            one._told.append(tell)
    try:
        yield
    finally:
        for one in around:
            with one._lock:
                one._told.remove(tell)
