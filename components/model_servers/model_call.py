"""One call of a language model, as a trace tells of it."""

import contextlib
from collections.abc import Callable, Iterator, Sequence

from haystack import tracing
from haystack.dataclasses import ChatMessage

SPAN = "model_call"


@contextlib.contextmanager
def model_call(messages: Sequence[ChatMessage]) -> Iterator[Callable[[ChatMessage], None]]:
    """Open a span for the block that makes the call; yields what is to be told the reply.

    :param messages: what the model is asked.
    """
    with tracing.tracer.trace(SPAN) as span:
        span.set_content_tag("prompt", list(messages))

        def answered(reply: ChatMessage) -> None:
            for name in ("model", "usage"):
                if reply.meta.get(name):
                    span.set_tag(name, reply.meta[name])
            span.set_content_tag("answer", [ChatMessage.from_assistant(reply.text or "")])

        yield answered
