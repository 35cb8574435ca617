"""A response in OpenAI's shapes: whole, or as the events of a stream."""

import itertools
import json
import time
import uuid
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from khub.components.answer import Answer, Citation
from khub.components.catalog.parts import shown_name
from khub.components.text.tokenizer import tokenize
from khub.components.value import as_json
from khub.server.http.openai.messages import Talk
from khub.server.http.openai.replies import of_hub


def _id(kind: str) -> str:
    return f"{kind}_{uuid.uuid4().hex}"


@dataclass(frozen=True)
class ResponseReply:
    """What all the parts of one response have in common.

    :param model: as the request names it.
    :param instructions: of the request.
    """

    model: str
    talk: Talk
    instructions: str | None
    id: str = field(default_factory=lambda: _id("resp"))
    message_id: str = field(default_factory=lambda: _id("msg"))
    created: int = field(default_factory=lambda: int(time.time()))
    _numbers: Iterator[int] = field(default_factory=itertools.count)

    def whole(self, answer: Answer, text: str) -> dict[str, Any]:
        """Return the response.

        :param text: as the client has got it.
        """
        spent, said = len(tokenize(self.talk.words)), len(tokenize(text))
        usage = {
            "input_tokens": spent,
            "input_tokens_details": {"cached_tokens": 0, "cache_write_tokens": 0},
            "output_tokens": said,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": spent + said,
        }
        output = [self._message("completed", [_part(text, answer.citations)])]
        about = {"citations": as_json(answer.citations), "khub": of_hub(answer, self.talk)}
        return {**self._frame("completed", output, usage), "completed_at": int(time.time()), **about}

    def begin(self) -> Iterator[str]:
        """Yield the events before the text."""
        for kind in ("response.created", "response.in_progress"):
            yield self._event(kind, response=self._frame("in_progress", []))
        yield self._event("response.output_item.added", output_index=0, item=self._message("in_progress", []))
        yield self._event("response.content_part.added", **self._place(), part=_part("", []))

    def delta(self, piece: str) -> str:
        """Return the event with a piece of the text."""
        return self._event("response.output_text.delta", **self._place(), delta=piece, logprobs=[])

    def end(self, answer: Answer, text: str) -> Iterator[str]:
        """Yield the events after the text."""
        part = _part(text, answer.citations)
        for number, one in enumerate(part["annotations"]):
            about = {"annotation_index": number, "annotation": one}
            yield self._event("response.output_text.annotation.added", **self._place(), **about)
        yield self._event("response.output_text.done", **self._place(), text=text, logprobs=[])
        yield self._event("response.content_part.done", **self._place(), part=part)
        yield self._event("response.output_item.done", output_index=0, item=self._message("completed", [part]))
        yield self._event("response.completed", response=self.whole(answer, text))

    def failed(self, message: str) -> str:
        """Return the event that ends a response which has failed after it had begun."""
        error = {"code": "server_error", "message": message}
        return self._event("response.failed", response={**self._frame("failed", []), "error": error})

    def _event(self, kind: str, **more: Any) -> str:
        data = {"type": kind, "sequence_number": next(self._numbers), **more}
        return f"event: {kind}\ndata: {json.dumps(data, ensure_ascii=False)}\n\n"

    def _place(self) -> dict[str, Any]:
        return {"item_id": self.message_id, "output_index": 0, "content_index": 0}

    def _message(self, status: str, content: list[dict[str, Any]]) -> dict[str, Any]:
        about = {"id": self.message_id, "type": "message", "role": "assistant"}
        return {**about, "status": status, "content": content}

    def _frame(self, status: str, output: list[dict[str, Any]], usage: Any = None) -> dict[str, Any]:
        return {
            "id": self.id,
            "object": "response",
            "created_at": self.created,
            "status": status,
            "error": None,
            "incomplete_details": None,
            "instructions": self.instructions,
            "max_output_tokens": None,
            "metadata": {},
            "model": self.model,
            "output": output,
            "parallel_tool_calls": False,
            "previous_response_id": None,
            "store": False,
            "temperature": None,
            "text": {"format": {"type": "text"}},
            "tool_choice": "none",
            "tools": [],
            "top_p": None,
            "truncation": "disabled",
            "usage": usage,
        }


def _part(text: str, citations: Sequence[Citation]) -> dict[str, Any]:
    """Return a text with an annotation at the first mark of each citation."""
    marks = [(text.find(f"[{one.id}]"), one) for one in citations]
    annotations = [
        {"type": "file_citation", "file_id": one.doc_id, "filename": shown_name(one.source), "index": max(at, 0)}
        for at, one in marks
    ]
    return {"type": "output_text", "text": text, "annotations": annotations, "logprobs": []}
