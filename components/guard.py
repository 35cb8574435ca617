"""Run another component within a time limit; when it fails, pass on the next best thing and say so."""

import asyncio
import contextlib
import contextvars
import copy
import math
import threading
import time
from concurrent.futures import Future
from concurrent.futures import wait as wait_for_futures
from dataclasses import dataclass
from functools import partial
from typing import Any, get_origin

from haystack import component, default_to_dict, logging
from haystack.core.component import Component, InputSocket
from haystack.core.component.sockets import Sockets
from haystack.core.serialization import component_to_dict

from components.errors import CollectionError, FilterError, GraphError, KhubError, QueryError
from components.failure_reason import failure_reason
from components.idle_threads import SHARED
from components.question import Leg

logger = logging.getLogger(__name__)

CALLER_MISTAKES = (QueryError, FilterError, CollectionError)
WARM_UP_RETRY_S = 5.0
REASON_CHARACTERS = 500
SHORT_S = 0.0003
"""So long the event loop stands still for a call: most end sooner than the loop would come round to them."""


@dataclass(frozen=True)
class _Outcome:
    """How a call of the guarded component ended: with outputs, or with a reason (and the error, if there is one)."""

    outputs: dict[str, Any] | None = None
    reason: str = ""
    error: BaseException | None = None

    @classmethod
    def of_error(cls, error: BaseException) -> "_Outcome":
        return cls(reason=failure_reason(error)[:REASON_CHARACTERS], error=error)


@component
class Guard:
    """Runs one component in a daemon thread (see `IdleThreads`) within a time limit.

    The outputs are those of the component, and `degraded`: a list of `{"stage": str, "reason": str}`, empty when all
    went well. After a failure each output carries the value of the input of the same name, or else `[]` where it is a
    list, and a `Leg` that has failed where it is one; other outputs are left out, so that whatever reads them runs with
    its default.

    Mistakes of the caller (`QueryError`, `FilterError`, `CollectionError`) are raised: no fallback answers a question
    that was put wrongly.

    A thread that hangs cannot be stopped. It delays neither the reply nor the end of the process, and once
    `max_hung` calls hang no further one is started until one of them ends (the bulkhead of M. Nygard, *Release It!*).
    Calls already under way at that moment run on, so a burst can leave more than `max_hung` behind.
    """

    def __init__(
        self,
        component: Component,
        stage: str,
        timeout_s: float = 5.0,
        max_hung: int = 2,
    ) -> None:
        """Take over the sockets of the component.

        :param component: the component to run, in YAML as `{type, init_parameters}`.
        :param stage: the name that `degraded` and the log give to this stage.
        :param timeout_s: seconds that one call may take, above 0.
        :param max_hung: so many calls may hang before further ones are refused, 1 or more.
        :raises GraphError: when a parameter is out of bounds.
        """
        self.component = component
        self.stage = stage
        self.timeout_s = timeout_s
        self.max_hung = max_hung
        self._lock = threading.Lock()
        self._deadlines: dict[Future[_Outcome], float] = {}
        self._warm_lock = threading.Lock()
        self._warm = not hasattr(component, "warm_up")
        self._warm_error: Exception | None = None
        self._retry_at = -math.inf
        self._check_parameters()
        self._take_sockets()

    def to_dict(self) -> dict[str, Any]:
        """Serialize, the guarded component with it (which need not have a `to_dict` of its own)."""
        return default_to_dict(
            self,
            component=component_to_dict(self.component, self.stage),
            stage=self.stage,
            timeout_s=self.timeout_s,
            max_hung=self.max_hung,
        )

    def warm_up(self) -> None:
        """Warm the component up, once.

        An error is kept, and reported in `degraded` by `run`, which tries again (within its time limit) when
        some seconds have passed: a pipeline warms all its parts before it runs any, and would not run at all.
        """
        if self._warm or self._warm_error:
            return
        try:
            self._warm_component()
        except Exception as error:  # told by run()
            logger.debug("{stage} did not warm up: {error}", stage=self.stage, error=error)

    def close(self) -> None:
        """Release what the component holds."""
        if hasattr(self.component, "close"):
            self.component.close()

    def run(self, **kwargs: Any) -> dict[str, Any]:
        """Run the component with its own inputs.

        :param kwargs: the inputs of the component.
        :returns: the outputs of the component, and `degraded`.
        :raises KhubError: only a mistake of the caller (see the class).
        """
        call = self._start(kwargs)
        wait_for_futures([call], timeout=self.timeout_s)
        return self._reply(call, kwargs)

    async def run_async(self, **kwargs: Any) -> dict[str, Any]:
        """Do what `run` does, without blocking the event loop (but for `SHORT_S`) or a place in its thread pool.

        :param kwargs: the inputs of the component.
        :returns: the outputs of the component, and `degraded`.
        :raises KhubError: only a mistake of the caller (see the class).
        """
        call = self._start(kwargs)
        with contextlib.suppress(TimeoutError):
            call.result(SHORT_S)
        if not call.done():
            await _ended(call, self.timeout_s)
        return self._reply(call, kwargs)

    def _start(self, inputs: dict[str, Any]) -> Future[_Outcome]:
        call: Future[_Outcome] = Future()
        now = time.monotonic()
        with self._lock:
            hung = sum(deadline <= now for deadline in self._deadlines.values())
            if hung >= self.max_hung:
                call.set_result(_Outcome(reason=f"busy: {hung} calls still hang"))
                return call
            self._deadlines[call] = now + self.timeout_s
        work = partial(contextvars.copy_context().run, self._work, call, inputs)
        try:
            SHARED.start(work, f"guard-{self.stage}")
        except RuntimeError as error:  # the system has no thread left
            self._end(call, _Outcome.of_error(error))
        return call

    def _work(self, call: Future[_Outcome], inputs: dict[str, Any]) -> None:
        try:
            self._warm_component()
            outcome = _Outcome(outputs=dict(self.component.run(**inputs)))
        except BaseException as error:
            outcome = _Outcome.of_error(error)
        self._end(call, outcome)

    def _end(self, call: Future[_Outcome], outcome: _Outcome) -> None:
        with self._lock:
            del self._deadlines[call]
        call.set_result(outcome)

    def _reply(self, call: Future[_Outcome], inputs: dict[str, Any]) -> dict[str, Any]:
        outcome = call.result() if call.done() else self._timed_out(call)
        if outcome.outputs is not None:
            return {"degraded": [], **outcome.outputs}
        if isinstance(outcome.error, CALLER_MISTAKES):
            raise outcome.error
        unforeseen = None if isinstance(outcome.error, KhubError) else outcome.error
        logger.warning("{stage} is degraded: {reason}", stage=self.stage, reason=outcome.reason, exc_info=unforeseen)
        return {**self._instead(inputs, outcome.reason), "degraded": [{"stage": self.stage, "reason": outcome.reason}]}

    def _timed_out(self, call: Future[_Outcome]) -> _Outcome:
        with self._lock:
            if call in self._deadlines:
                self._deadlines[call] = -math.inf  # timers may fire a little early: from now on the call counts as hung
        return _Outcome(reason=f"no answer in {self.timeout_s:g} s")

    def _instead(self, inputs: dict[str, Any], reason: str) -> dict[str, Any]:
        outputs: dict[str, Any] = {}
        for name, socket in self.component.__haystack_output__._sockets_dict.items():  # type: ignore[attr-defined]
            if name in inputs:
                outputs[name] = inputs[name]
            elif socket.type is Leg:
                outputs[name] = Leg(self.stage, used=False, reason=reason, failed=True)
            elif list in (socket.type, get_origin(socket.type)):
                outputs[name] = []
        return outputs

    def _warm_component(self) -> None:
        if self._warm:
            return
        with self._warm_lock:
            if self._warm:
                return
            if self._warm_error and time.monotonic() < self._retry_at:
                raise self._warm_error
            try:
                self.component.warm_up()  # type: ignore[attr-defined]
            except Exception as error:
                self._warm_error = error
                self._retry_at = time.monotonic() + WARM_UP_RETRY_S
                raise
            self._warm, self._warm_error = True, None

    def _check_parameters(self) -> None:
        if not isinstance(self.component, Component):
            raise GraphError(
                f"Guard {self.stage!r} holds no component but {self.component!r:.80}",
                "give 'component' as {type: ..., init_parameters: {...}}",
            )
        if not self.timeout_s > 0:
            raise GraphError(f"Guard {self.stage!r} has timeout_s={self.timeout_s}", "give seconds above 0")
        if self.max_hung < 1:
            raise GraphError(f"Guard {self.stage!r} has max_hung={self.max_hung}", "give 1 or more")

    def _take_sockets(self) -> None:
        inputs: dict[str, InputSocket] = {}
        for name, socket in self.component.__haystack_input__._sockets_dict.items():  # type: ignore[attr-defined]
            inputs[name] = copy.copy(socket)  # set_input_type() would lose whether it is variadic
            inputs[name].senders = []
        self.__haystack_input__ = Sockets(self, inputs, InputSocket)  # type: ignore[arg-type]
        outputs = self.component.__haystack_output__._sockets_dict  # type: ignore[attr-defined]
        component.set_output_types(self, **{**{n: s.type for n, s in outputs.items()}, "degraded": list[dict]})


async def _ended(call: Future[_Outcome], timeout_s: float) -> None:
    """Wait until a call ends or its time is over; `asyncio.wait` would take several rounds of the loop for it."""
    loop = asyncio.get_running_loop()
    waiter = loop.create_future()

    def wake() -> None:
        if not waiter.done():
            waiter.set_result(None)

    def tell(_: Future[_Outcome]) -> None:
        with contextlib.suppress(RuntimeError):  # the loop may be closed when a hung call ends
            loop.call_soon_threadsafe(wake)

    timer = loop.call_later(timeout_s, wake)
    call.add_done_callback(tell)
    try:
        await waiter
    finally:
        timer.cancel()
