"""Problem details in OpenAI's shape, for clients of its protocol."""

import json
import re
from dataclasses import dataclass

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from khub.server.http.openai.errors import OpenAIError
from khub.server.http.problems import MEDIA_TYPE

PATHS = re.compile(r"/v1(/.*)?|/(models|chat/completions|completions|embeddings|responses)(/.*)?", re.DOTALL)
"""Where clients of OpenAI's protocol ask: every error that they get there is in OpenAI's shape."""
CODES = {401: "invalid_api_key", 403: "forbidden", 404: "unknown_url", 429: "rate_limit_exceeded"}


@dataclass
class OpenAIErrorShape:
    """Tells them of every refusal as OpenAI would."""

    app: ASGIApp

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer in that shape."""
        started: list[Message] = []

        async def send_shaped(message: Message) -> None:
            if message["type"] == "http.response.start" and _type_of(message) == MEDIA_TYPE:
                started.append(message)
                return
            if started and message["type"] == "http.response.body":
                start, body = started.pop(), _shaped(message["body"])  # a problem comes in one piece
                headers = MutableHeaders(raw=list(start["headers"]))
                headers["content-type"], headers["content-length"] = "application/json", str(len(body))
                await send({**start, "headers": headers.raw})
                message = {**message, "body": body}
            await send(message)

        await self.app(scope, receive, send_shaped if PATHS.fullmatch(scope["path"]) else send)


def _shaped(problem: bytes) -> bytes:
    told = json.loads(problem)
    message, status = ": ".join(filter(None, [told["detail"], told.get("remedy")])), told["status"]
    code = CODES.get(status, "invalid_value" if status < 500 else "unavailable")
    return json.dumps(OpenAIError(status, message, code).body, ensure_ascii=False).encode()


def _type_of(start: Message) -> str | None:
    return Headers(raw=list(start["headers"])).get("content-type")
