"""A chat generator whose calls end in time, and which leaves asking again to others."""

import copy
import time
from concurrent.futures import FIRST_COMPLETED, Future
from concurrent.futures import wait as wait_for_futures
from functools import partial
from typing import Any

from haystack.components.generators.chat.types import ChatGenerator
from haystack.core.serialization import component_to_dict
from haystack.dataclasses import ChatMessage

from components.bounded_call import BoundedCalls
from components.enrichers.model_call import model_call
from components.enrichers.model_failure import NO_TIME, NoTimeError

OPERATIONAL = ("api_key", "timeout", "max_retries", "http_client_kwargs", "organization", "streaming_callback")
"""Parameters of a chat generator that do not change what it says."""


def generator_identity(generator: ChatGenerator) -> list[Any]:
    """Return what decides the replies of a generator: its type and its parameters, as JSON values."""
    data = component_to_dict(generator, "generator")
    said_by = {key: value for key, value in data["init_parameters"].items() if key not in OPERATIONAL}
    return [data["type"], said_by]


class BoundedGenerator:
    """Makes bounded calls (see `BoundedCalls`): one that hangs holds up neither a document nor the exit.

    :param generator: any Haystack chat generator. Where its `max_retries` and `timeout` are not set, it asks once and
        waits `timeout_s`, because retries within retries would multiply.
    :param timeout_s: seconds that one call may take.
    :param max_hung: so many calls may hang before further ones are refused.
    """

    def __init__(self, generator: ChatGenerator, timeout_s: float, max_hung: int) -> None:
        self._generator = _asking_once(generator, timeout_s)
        self._timeout_s = timeout_s
        self._calls = BoundedCalls("enrichment", max_hung)

    def warm_up(self) -> None:
        """Warm the generator up."""
        if hasattr(self._generator, "warm_up"):
            self._generator.warm_up()

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
        wait_for_futures([call, stopped], timeout=limit, return_when=FIRST_COMPLETED)
        if call.done():
            return call.result()
        late = self._calls.give_up(call, self._timeout_s)
        raise NoTimeError(NO_TIME) if stopped.done() or limit < self._timeout_s else late

    def _reply(self, messages: list[ChatMessage]) -> str:
        with model_call(messages) as answered:
            reply: ChatMessage = self._generator.run(messages=messages)["replies"][0]
            answered(reply)
        return reply.text or ""


def _asking_once(generator: ChatGenerator, timeout_s: float) -> Any:
    own: Any = copy.copy(generator)
    if getattr(own, "client", None) is None:
        for name, value in (("max_retries", 0), ("timeout", timeout_s)):
            if getattr(own, name, value) is None:
                setattr(own, name, value)
    return own
