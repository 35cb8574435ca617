"""Anthropic's protocol: `/v1/messages`, `anthropic-version`, key as `x-api-key` or as a bearer token, named events."""

import json
from collections.abc import Iterator
from typing import Any

from tests.backends.providers.provider_server import (
    Answer,
    Asked,
    Provider,
    RefusalError,
    as_json,
    check_fields,
    tokens,
)

KNOWN = {
    "model",
    "messages",
    "max_tokens",
    "system",
    "temperature",
    "top_k",
    "top_p",
    "stop_sequences",
    "stream",
    "metadata",
    "tools",
    "tool_choice",
    "thinking",
    "service_tier",
    "output_config",
}

VERSIONS = ("2023-06-01", "2026-10-21")  # with the second one its own library sends the key as a bearer token


class Anthropic(Provider):
    """Anthropic's own."""

    models = ("claude-sonnet-5",)

    def routes(self) -> dict[str, Any]:
        return {"/v1/messages": self.messages}

    def key_of(self, headers: dict[str, str]) -> str:
        return headers.get("x-api-key") or Provider.key_of(self, headers)

    def refusal(self, status: int, message: str, key: str) -> dict[str, Any]:
        kind, said = {
            401: ("authentication_error", "invalid x-api-key"),
            404: ("not_found_error", message),
            429: (
                "rate_limit_error",
                "This request would exceed your organization's rate limit of 5 requests per minute.",
            ),
            500: ("api_error", "Internal server error"),
        }.get(status, ("invalid_request_error", message))
        return {"type": "error", "error": {"type": kind, "message": said}, "request_id": "req_1"}

    def messages(self, asked: Asked) -> Answer:
        body = asked.body
        if asked.headers.get("anthropic-version") not in VERSIONS:
            raise RefusalError(400, "anthropic-version: header is required")
        check_fields(body, KNOWN, {"model", "messages", "max_tokens"})
        if body["model"] not in self.models:
            raise RefusalError(404, f"model: {body['model']}")
        text = self.says(*_read(body))
        usage = {"input_tokens": tokens(str(body["messages"])), "output_tokens": tokens(text)}
        message = {"id": "msg_1", "type": "message", "role": "assistant", "model": body["model"], "stop_sequence": None}
        if body.get("stream"):
            events = [
                f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in _events(message, text, usage)
            ]
            if self.breaks:
                error = {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}
                events = [*events[:4], f"event: error\ndata: {json.dumps(error)}\n\n"]
            return Answer(200, "".join(events).encode(), "text/event-stream")
        content = [{"type": "text", "text": text}]
        return Answer(200, as_json({**message, "content": content, "stop_reason": "end_turn", "usage": usage}))


def _read(body: dict[str, Any]) -> tuple[str, str, list[str]]:
    system = body.get("system") or ""
    system = system if isinstance(system, str) else "".join(part["text"] for part in system)
    prompt, images = "", []
    for message in body["messages"]:
        if message["role"] not in ("user", "assistant"):
            raise RefusalError(400, f'messages: Unexpected role "{message["role"]}".')
        parts = message["content"]
        for part in [{"type": "text", "text": parts}] if isinstance(parts, str) else parts:
            if part["type"] == "image":
                assert part["source"]["type"] == "base64"
                images.append(part["source"]["data"])
            else:
                prompt = part["text"]
    return prompt, system, images


def _events(message: dict[str, Any], text: str, usage: dict[str, int]) -> Iterator[dict[str, Any]]:
    begun = {**message, "content": [], "stop_reason": None, "usage": {**usage, "output_tokens": 1}}
    yield {"type": "message_start", "message": begun}
    yield {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}
    yield {"type": "ping"}
    for at, piece in enumerate(text.split(" ")):
        delta = {"type": "text_delta", "text": piece if at == 0 else f" {piece}"}
        yield {"type": "content_block_delta", "index": 0, "delta": delta}
    yield {"type": "content_block_stop", "index": 0}
    ended = {"stop_reason": "end_turn", "stop_sequence": None}
    yield {"type": "message_delta", "delta": ended, "usage": {"output_tokens": usage["output_tokens"]}}
    yield {"type": "message_stop"}
