"""An answer of the hub in OpenAI's shapes: whole, or in chunks."""

import json
import time
import uuid
from dataclasses import dataclass, field
from typing import Any, Literal

from pydantic import BaseModel, Field

from khub.components.answer import Answer, Citation
from khub.components.text.inert_markdown import inert
from khub.components.text.tokenizer import tokenize
from khub.components.value import as_json
from khub.server.http.openai.messages import Talk

OF_HUB = (
    "searched",
    "collection",
    "collections",
    "graph",
    "abstained",
    "confidence",
    "degraded",
    "trace_id",
)


class AssistantMessage(BaseModel):
    """What the hub says."""

    role: Literal["assistant"]
    content: str
    refusal: str | None
    citations: list[Citation]


class ChatChoice(BaseModel):
    """The one reply that there is."""

    index: int
    message: AssistantMessage
    finish_reason: Literal["stop"]
    logprobs: None


class ChatCompletion(BaseModel):
    """A reply that comes as a whole."""

    id: str
    object: Literal["chat.completion"]
    created: int
    model: str
    choices: list[ChatChoice]
    usage: dict[str, int]
    khub: dict[str, Any] = Field(description="What the hub says of the answer beside its text.")


@dataclass(frozen=True)
class Reply:
    """What all the parts of one reply have in common.

    :param model: as the request names it.
    """

    model: str
    talk: Talk
    id: str = field(default_factory=lambda: f"chatcmpl-{uuid.uuid4().hex}")
    created: int = field(default_factory=lambda: int(time.time()))

    def whole(self, answer: Answer) -> dict[str, Any]:
        """Return the completion."""
        message = {
            "role": "assistant",
            "content": inert(answer.answer),
            "refusal": None,
            "citations": as_json(answer.citations),
        }
        return {
            **self._frame("chat.completion"),
            "choices": [{"index": 0, "message": message, "finish_reason": "stop", "logprobs": None}],
            "usage": self._usage(answer),
            "khub": of_hub(answer, self.talk),
        }

    def chunk(self, **delta: Any) -> str:
        """Return an event with a piece of the reply."""
        return self._event(choices=[{"index": 0, "delta": delta, "finish_reason": None}])

    def last_chunk(self, answer: Answer) -> str:
        """Return the event that ends the reply, with what is known of the whole of it."""
        choice = {"index": 0, "delta": {"citations": as_json(answer.citations)}, "finish_reason": "stop"}
        return self._event(choices=[choice], khub=of_hub(answer, self.talk))

    def usage_chunk(self, answer: Answer) -> str:
        """Return the event that a client can ask for."""
        return self._event(choices=[], usage=self._usage(answer))

    def _event(self, **more: Any) -> str:
        return event({**self._frame("chat.completion.chunk"), **more})

    def _frame(self, kind: str) -> dict[str, Any]:
        return {"id": self.id, "object": kind, "created": self.created, "model": self.model}

    def _usage(self, answer: Answer) -> dict[str, int]:
        return usage(len(tokenize(self.talk.words)), len(tokenize(answer.answer)))


def of_hub(answer: Answer, talk: Talk) -> dict[str, Any]:
    """Return what the hub says of an answer beside its text."""
    about = {name: as_json(getattr(answer, name)) for name in OF_HUB}
    return {"asked": None if talk.is_task else talk.questions[-1], **about, "notes": list(talk.notes)}


def usage(prompt: int, completion: int = 0) -> dict[str, int]:
    """Return usage in OpenAI's form; the tokens are those of the keyword index."""
    return {"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion}


def event(data: dict[str, Any]) -> str:
    """Return a server-sent event."""
    return f"data: {json.dumps(data, ensure_ascii=False)}\n\n"
