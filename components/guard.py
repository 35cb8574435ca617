"""Run another component within a time limit; when it fails, pass on the next best thing and say so."""

import contextlib
import copy
import math
import threading
import time
from concurrent.futures import Future
from functools import partial
from typing import Any, get_origin

from haystack import component, default_to_dict, logging
from haystack.core.component import Component, InputSocket
from haystack.core.component.sockets import Sockets
from haystack.core.serialization import component_to_dict

from khub.components.bounded_call import BoundedCalls, NoAnswerError
from khub.components.call_time import loading
from khub.components.errors import CollectionError, FilterError, KhubError, ParameterError, QueryError
from khub.components.failure_reason import failure_reason
from khub.components.question import Leg

logger = logging.getLogger(__name__)

CALLER_MISTAKES = (QueryError, FilterError, CollectionError)
WARM_UP_RETRY_S = 5.0
REASON_CHARACTERS = 500
SHORT_S = 0.0003
"""So long the event loop stands still for a call: most end sooner than the loop would come round to them."""


@component
class Guard:
    """Runs one component in a daemon thread within a time limit.

    The outputs are those of the component, and `degraded`: a list of `{"stage": str, "reason": str}`, empty when all
    went well. After a failure each output carries the value of the input of the same name, or else `[]` where it is a
    list, and a `Leg` that has failed where it is one; other outputs are left out, so that whatever reads them runs with
    its default.

    Mistakes of the caller (`QueryError`, `FilterError`, `CollectionError`) are raised: no fallback answers a question
    that was put wrongly.

    A thread that hangs delays neither the reply nor the end of the process, and not too many do (see `BoundedCalls`).
    Loading a model is outside of the limit (see `loading`).
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
        self._calls = BoundedCalls(f"guard-{stage}", max_hung)
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

        An error is kept, and reported in `degraded` by `run`, which tries again when some seconds have passed: a
        pipeline warms all its parts before it runs any, and would not run at all.
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
        self._calls.wait(call)
        return self._reply(call, kwargs)

    async def run_async(self, **kwargs: Any) -> dict[str, Any]:
        """Do what `run` does, without blocking the event loop (but for `SHORT_S`) or a place in its thread pool.

        :param kwargs: the inputs of the component.
        :returns: the outputs of the component, and `degraded`.
        :raises KhubError: only a mistake of the caller (see the class).
        """
        call = self._start(kwargs)
        with contextlib.suppress(TimeoutError):
            call.exception(SHORT_S)
        if not call.done():
            await self._calls.wait_async(call)
        return self._reply(call, kwargs)

    def _start(self, inputs: dict[str, Any]) -> Future[dict[str, Any]]:
        return self._calls.start(partial(self._work, inputs), self.timeout_s)

    def _work(self, inputs: dict[str, Any]) -> dict[str, Any]:
        self._warm_component()
        return dict(self.component.run(**inputs))

    def _reply(self, call: Future[dict[str, Any]], inputs: dict[str, Any]) -> dict[str, Any]:
        error = call.exception() if call.done() else self._calls.give_up(call, self.timeout_s)
        if error is None:
            return {"degraded": [], **call.result()}
        if isinstance(error, CALLER_MISTAKES):
            raise error
        reason = failure_reason(error)[:REASON_CHARACTERS]
        unforeseen = None if isinstance(error, KhubError | NoAnswerError) else error
        logger.warning("{stage} is degraded: {reason}", stage=self.stage, reason=reason, exc_info=unforeseen)
        return {**self._instead(inputs, reason), "degraded": [{"stage": self.stage, "reason": reason}]}

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
        with loading(), self._warm_lock:
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
            raise ParameterError(
                f"Guard {self.stage!r} holds no component but {self.component!r:.80}",
                "give 'component' as {type: ..., init_parameters: {...}}",
            )
        if not self.timeout_s > 0:
            raise ParameterError(f"Guard {self.stage!r} has timeout_s={self.timeout_s}", "give seconds above 0")
        if self.max_hung < 1:
            raise ParameterError(f"Guard {self.stage!r} has max_hung={self.max_hung}", "give 1 or more")

    def _take_sockets(self) -> None:
        inputs: dict[str, InputSocket] = {}
        for name, socket in self.component.__haystack_input__._sockets_dict.items():  # type: ignore[attr-defined]
            inputs[name] = copy.copy(socket)  # set_input_type() would lose whether it is variadic
            inputs[name].senders = []
        self.__haystack_input__ = Sockets(self, inputs, InputSocket)  # type: ignore[arg-type]
        outputs = self.component.__haystack_output__._sockets_dict  # type: ignore[attr-defined]
        component.set_output_types(
            self, **{**{n: s.type for n, s in outputs.items()}, "degraded": list[dict[str, Any]]}
        )
