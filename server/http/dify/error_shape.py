"""Problem details in Dify's shape: a number that its users look up, and a sentence."""

import json
from dataclasses import dataclass

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Receive, Scope, Send

from khub.server.http.changed_body import Change, changed
from khub.server.http.problems import MEDIA_TYPE

PATH = "/retrieval"
BAD_HEADER, NOT_ALLOWED, NO_KNOWLEDGE = 1001, 1002, 2001


@dataclass
class DifyErrorShape:
    """Tells Dify of every refusal as its contract has it."""

    app: ASGIApp

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer in that shape."""
        scheme, _, token = Headers(scope=scope).get("authorization", "").partition(" ")
        refused = NOT_ALLOWED if scheme.lower() == "bearer" and token.strip() else BAD_HEADER

        def begin(headers: MutableHeaders) -> Change | None:
            if headers.get("content-type") != MEDIA_TYPE:
                return None
            headers["content-type"] = "application/json"
            return lambda problem: _shaped(problem, refused)

        await self.app(scope, receive, changed(send, begin) if scope["path"] == PATH else send)


def _shaped(problem: bytes, refused: int) -> bytes:
    """Return the body; what the contract has no number for is told by the status.

    :param refused: the number of a caller that may not come in.
    """
    told = json.loads(problem)
    code = {401: refused, 403: NOT_ALLOWED, 404: NO_KNOWLEDGE}.get(told["status"], told["status"])
    wrong = [f"{one['field']}: {one['error']}" for one in told.get("errors", ())]
    message = ": ".join(filter(None, [told["detail"], told.get("remedy"), "; ".join(wrong)]))
    return json.dumps({"error_code": code, "error_msg": message}, ensure_ascii=False).encode()
