"""A chat generator whose calls end in time."""

import contextlib
import copy
import time
from concurrent.futures import Future
from functools import partial
from typing import Any

from haystack.components.generators.chat.types import ChatGenerator
from haystack.core.serialization import component_to_dict
from haystack.dataclasses import ChatMessage

from khub.components.bounded_call import BoundedCalls
from khub.components.call_time import loading
from khub.components.model_servers.model_call import model_call
from khub.components.model_servers.model_failure import NO_TIME, NoTimeError
from khub.components.model_servers.model_server import ModelServer
from khub.components.model_servers.served_run import by_server

OPERATIONAL = ("api_key", "timeout", "max_retries", "http_client_kwargs", "organization", "streaming_callback")
"""Parameters of a chat generator that do not change what it says."""


def generator_identity(generator: ChatGenerator) -> list[Any]:
    """Return what decides the replies of a generator: its type and its parameters, as JSON values."""
    data = component_to_dict(generator, "generator")
    said_by = {key: value for key, value in data["init_parameters"].items() if key not in OPERATIONAL}
    return [data["type"], said_by]


class BoundedGenerator:
    """Makes bounded calls (see `BoundedCalls`): one that hangs holds up neither a document nor the exit.

    :param generator: any Haystack chat generator, asked by way of its server (see `ServedRun`). Where its `timeout` is
        not set, it waits `timeout_s`.
    :param timeout_s: seconds that one call may take.
    :param max_hung: so many calls may hang before further ones are refused.
    :param retries: how often a call that failed is made again where `max_retries` of the generator is not set; None
        for as often as others are.
    """

    def __init__(self, generator: ChatGenerator, timeout_s: float, max_hung: int, retries: int | None = None) -> None:
        self._generator = _own(generator, timeout_s, retries)
        self._timeout_s = timeout_s
        self._is_warm = False
        self._calls = BoundedCalls("enrichment", max_hung)

    def warm_up(self) -> None:
        """Warm the generator up, which is told as loading the first time."""
        if hasattr(self._generator, "warm_up"):
            with contextlib.nullcontext() if self._is_warm else loading():
                self._generator.warm_up()
            self._is_warm = True

    def close(self) -> None:
        """Release what the generator holds."""
        if hasattr(self._generator, "close"):
            self._generator.close()

    def ask(self, messages: list[ChatMessage], deadline: float, stopped: Future[str]) -> str:
        """Return the text of the reply.

        :param messages: what is asked.
        :param deadline: time by `time.monotonic()` at which the call ends at the latest.
        :param stopped: once it is done, nobody waits for the reply any more.
        :raises TimeoutError: when there is no reply in time, or too many calls hang.
        :raises Exception: whatever the generator raises.
        """
        limit = min(self._timeout_s, deadline - time.monotonic())
        if limit <= 0:
            raise NoTimeError(NO_TIME)
        call = self._calls.start(partial(self._reply, messages), limit)
        self._calls.wait(call, stopped)
        if call.done():
            return call.result()
        is_whole = limit == self._timeout_s and not stopped.done()
        late = self._calls.give_up(call, self._timeout_s, is_whole)
        raise late if is_whole else NoTimeError(NO_TIME)

    def _reply(self, messages: list[ChatMessage]) -> str:
        with model_call(messages) as answered:
            reply: ChatMessage = self._generator.run(messages=messages)["replies"][0]
            answered(reply)
        return reply.text or ""


def _own(generator: ChatGenerator, timeout_s: float, retries: int | None) -> Any:
    """Return a copy of a generator with these limits where it has none of its own."""
    own: Any = copy.copy(generator)
    if getattr(own, "client", None) is None and getattr(own, "timeout", timeout_s) is None:
        own.timeout = timeout_s
    if getattr(own, "max_retries", None) is None:
        own.max_retries = retries
    return by_server(own, ModelServer("the model"))
