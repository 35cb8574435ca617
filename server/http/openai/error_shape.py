"""Problem details in OpenAI's shape, for clients of its protocol."""

import json
import re
from dataclasses import dataclass

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Receive, Scope, Send

from khub.server.http.changed_body import Change, changed
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
        await self.app(scope, receive, changed(send, _begin) if PATHS.fullmatch(scope["path"]) else send)


def _begin(headers: MutableHeaders) -> Change | None:
    if headers.get("content-type") != MEDIA_TYPE:
        return None
    headers["content-type"] = "application/json"
    return _shaped


def _shaped(problem: bytes) -> bytes:
    told = json.loads(problem)
    message, status = ": ".join(filter(None, [told["detail"], told.get("remedy")])), told["status"]
    code = CODES.get(status, "invalid_value" if status < 500 else "unavailable")
    return json.dumps(OpenAIError(status, message, code).body, ensure_ascii=False).encode()
