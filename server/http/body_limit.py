"""How large a request may be."""

from dataclasses import dataclass

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from khub.server.http.problems import problem

MOST_BYTES = 4 * 1024 * 1024
UPLOADS = ("/documents", "/api/v1/files/")


@dataclass
class BodyLimit:
    """Hands a request on once all of it is there, if it is not too large, whatever its header says; files at once."""

    app: ASGIApp

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Hand on, or refuse; where the client has gone there is nobody to answer."""
        upload, length = is_upload(scope), Headers(scope=scope).get("content-length", "0")
        body, more, fits = bytearray(), not upload, length.isdecimal() and (upload or int(length) <= MOST_BYTES)
        while more and fits:
            message = await receive()
            if message["type"] == "http.disconnect":
                return
            body += message.get("body", b"")
            more, fits = message.get("more_body", False), len(body) <= MOST_BYTES
        if not fits:
            await problem(413, f"the body is larger than {MOST_BYTES} bytes", code="too_large")(scope, receive, send)
            return
        whole = iter([] if upload else [{"type": "http.request", "body": bytes(body), "more_body": False}])

        async def receive_whole() -> Message:
            return next(whole, None) or await receive()

        await self.app(scope, receive_whole, send)


def is_upload(scope: Scope) -> bool:
    """Say whether a request has limits of its own: that of files."""
    return scope["method"] == "POST" and scope["path"] in UPLOADS
