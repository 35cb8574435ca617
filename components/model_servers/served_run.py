"""The way from a component to the server that it asks: every call of a model or a remote service goes here."""

import asyncio
import contextlib
import contextvars
import copy
import math
import random
import time
from collections.abc import Callable, Iterator
from typing import Any

from haystack import Pipeline

from khub.components.call_time import time_left, told_when_given_up
from khub.components.cancellation import stop_if_cancelled
from khub.components.model_servers.model_failure import ModelFailure, NotAskedError
from khub.components.model_servers.model_server import ModelServer, ServerCall, server_of
from khub.components.model_servers.token_gate import from_any_thread
from khub.components.model_servers.token_limit import count_tokens, refuse_overspending
from khub.components.own_names import is_own

BACKOFF_S = 1.0
LONGEST_WAIT_S = 120.0
WAITED_SHARE = 0.5
"""Of the time that is left: the call that is waited for needs some, too."""
HURRIED_RETRIES, PATIENT_RETRIES = 1, 5
"""How often a call is made again where its component does not say: while somebody waits for it, and else."""
MOST_DEEP = 8

_FAILURES: contextvars.ContextVar[list[Exception] | None] = contextvars.ContextVar("khub_failures", default=None)


@contextlib.contextmanager
def failures_of_servers() -> Iterator[list[Exception]]:
    """Yield the errors of the calls that the block makes, for whoever asks by a component that keeps them to itself."""
    failures: list[Exception] = []
    token = _FAILURES.set(failures)
    try:
        yield failures
    finally:
        _FAILURES.reset(token)


class ServedRun:
    """Stands in the place of `run` of a component that asks a server.

    A call is not made while the server is left alone (see `ModelServer`) or too many tokens are spent; one that failed
    is made again after a growing pause with a random part (M. Brooker, *Exponential Backoff and Jitter*, 2015) or when
    the server asks for it, as long as there is time. The retries of the component's own client give way to these.

    :param part: the component.
    :param server: that it asks.
    """

    def __init__(self, part: Any, server: ModelServer) -> None:
        self.part = part
        self.server = server
        self._run: Callable[..., dict[str, Any]] = part.run

    def __call__(self, *args: Any, **inputs: Any) -> dict[str, Any]:
        """Do what the component does, by way of its server.

        :raises NotAskedError: when the server is not to be asked now.
        :raises TokensSpentError: when no further tokens are to be spent.
        :raises Exception: whatever the component raises.
        """
        try:
            return self._asked(args, inputs)
        except Exception as error:
            if (failures := _FAILURES.get()) is not None:
                failures.append(error)
            raise

    async def run_async(self, *args: Any, **inputs: Any) -> dict[str, Any]:
        """Do the same in a thread."""
        if callback := inputs.get("streaming_callback"):
            inputs = {**inputs, "streaming_callback": from_any_thread(callback)}
        return await asyncio.to_thread(self, *args, **inputs)

    def _asked(self, args: tuple[Any, ...], inputs: dict[str, Any]) -> dict[str, Any]:
        if hasattr(self.part, "warm_up"):
            self.part.warm_up()
        retries = self._retries()
        attempt = 0
        failed: Exception | None = None
        while True:
            stop_if_cancelled()
            refuse_overspending((args, inputs))
            call = None
            try:
                call = self.server.begin()
                outputs = self._asked_once(call, args, inputs)
            except Exception as error:
                failure = ModelFailure.of(error)
                failed = error if call is not None else failed
                pause_s = failure.wait_s
                if pause_s is None:
                    pause_s = BACKOFF_S * 2**attempt * random.uniform(0.5, 1)  # noqa: S311 - jitter
                attempt += not isinstance(error, NotAskedError)
                left_s = time_left()
                may_help = failure.retry and not failure.fatal and attempt <= retries
                in_vain = failure.rests and left_s < math.inf  # somebody would wait for nothing, most likely
                has_begun = call is not None and call.has_spoken  # what was heard would be heard twice
                if not may_help or in_vain or has_begun or pause_s > min(left_s * WAITED_SHARE, LONGEST_WAIT_S):
                    raise failed or error from None  # what this call met says more than that it is not made again
                time.sleep(pause_s)
                continue
            count_tokens((args, inputs), outputs)
            return outputs

    def _asked_once(self, call: ServerCall, args: tuple[Any, ...], inputs: dict[str, Any]) -> dict[str, Any]:
        try:
            with told_when_given_up(call.given_up):
                outputs = self._raising()(*args, **_heard(inputs, call))
        except Exception as error:
            call.failed(ModelFailure.of(error))
            raise
        except BaseException:
            call.dropped()
            raise
        call.answered()
        return outputs

    def _retries(self) -> int:
        """Return how often the call is made again, and take that over from the component's client."""
        own = getattr(self.part, "max_retries", None)
        client = getattr(self.part, "client", None)
        if isinstance(getattr(client, "max_retries", None), int):
            client.max_retries = 0  # type: ignore[union-attr]
        if isinstance(own, int):
            return own
        return PATIENT_RETRIES if time_left() == math.inf else HURRIED_RETRIES

    def _raising(self) -> Callable[..., dict[str, Any]]:
        """Return `run` of the component, or where that only logs its failures, of one that raises them."""
        if getattr(self.part, "raise_on_failure", True):
            return self._run
        raising = copy.copy(self.part)
        raising.raise_on_failure = True
        run: Callable[..., dict[str, Any]] = type(self.part).run.__get__(raising)
        return run


def by_server(part: Any, server: ModelServer | None = None) -> Any:
    """Let a component ask by way of its server from now on, if it asks one; return it.

    :param part: a Haystack component.
    :param server: what is known of where it asks; found out by its parameters if None.
    """
    if isinstance(vars(part).get("run"), ServedRun):
        return part
    server = server_of(part) or server
    if server is not None:
        part.run = served = ServedRun(part, server)
        if hasattr(part, "run_async"):
            part.run_async = served.run_async
    return part


def all_by_server(pipeline: Pipeline) -> None:
    """Let every component of a pipeline ask by way of its server, and those that are inside of others."""
    seen: set[int] = set()
    for _, part in pipeline.walk():
        _inside(part, seen, MOST_DEEP)


def _inside(value: Any, seen: set[int], deep: int) -> None:
    if not deep or id(value) in seen:
        return
    seen.add(id(value))
    if isinstance(value, Pipeline):
        inner: Any = [part for _, part in value.walk()]
    elif isinstance(value, list | tuple):
        inner = value
    elif isinstance(value, dict):
        inner = value.values()
    elif hasattr(value, "__haystack_input__") or is_own(type(value).__module__):
        inner = list(getattr(value, "__dict__", {}).values())
        if hasattr(value, "__haystack_input__"):
            by_server(value)
    else:
        return
    for one in inner:
        _inside(one, seen, deep - 1)


def _heard(inputs: dict[str, Any], call: ServerCall) -> dict[str, Any]:
    """Return the inputs; of a reply that comes in pieces, the first one tells that the server is alive."""
    callback = inputs.get("streaming_callback")
    if callback is None:
        return inputs

    def hearing(chunk: Any) -> None:
        call.speaks()
        callback(chunk)

    return {**inputs, "streaming_callback": hearing}
