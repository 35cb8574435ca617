"""What an answer of the service is on its way out: with the headers that all have, and in whose shape."""

from collections.abc import Callable

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import Message, Send

from khub.components.errors import KhubError
from khub.server.http.openai.errors import in_openais_shape
from khub.server.http.problems import MEDIA_TYPE

GONE = 499
"""The status in the audit log of a request whose client did not wait for the answer."""
HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
}


class Answer:
    """Sends an answer with the headers that all have, and remembers what it was.

    :param send: ASGI's.
    :param root_path: what a proxy puts before all paths.
    """

    def __init__(self, send: Send, root_path: str = "") -> None:
        self._send = send
        self._root_path = root_path
        self.status = GONE
        self.has_begun = False  # an answer that nobody reads has the status GONE, too
        self.when_begun: Callable[[], None] = lambda: None
        self.goes_on: Callable[[], bool] = lambda: True
        """Whether the caller still has the rights with which it asked: asked of what is sent piece by piece."""
        self.was_revoked = False
        self.when_revoked: Callable[[], None] = lambda: None
        self._pieces = 0
        self._has_length = False
        self.headers: dict[str, str] = {}
        """Of this answer, beside those that all have."""

    def send_by(self, way: Callable[[Send], Send]) -> None:
        """Send what is still to come by way of something that changes it."""
        self._send = way(self._send)

    async def send(self, message: Message) -> None:
        """Send a message."""
        if message["type"] == "http.response.start":
            self.status, self.has_begun = message["status"], True
            headers = MutableHeaders(scope=message)
            self._has_length = "content-length" in headers
            for name, value in {**HEADERS, **self.headers}.items():
                headers.setdefault(name, value)
            if self._root_path and headers.get("location", "").startswith("/"):
                headers["location"] = self._root_path + headers["location"]
            self.when_begun()
        elif message["type"] == "http.response.body":
            self._pieces += 1
            if self._pieces > 1 and (self.was_revoked or not self._is_allowed()):
                await self._end()
                return
        await self._send(message)

    async def _end(self) -> None:
        """End an answer half-way, for a caller that may have no more of it."""
        if self.was_revoked:
            return
        self.was_revoked = True
        if not self._has_length:  # one that promised more is cut off
            await self._send({"type": "http.response.body", "body": b"", "more_body": False})
        self.when_revoked()

    def _is_allowed(self) -> bool:
        try:
            return self.goes_on()
        except KhubError:  # nobody can tell any more
            return False


def in_openais(send: Send) -> Send:
    """Return what sends problem details in OpenAI's shape, and all else as it is."""
    held: list[Message] = []

    async def send_shaped(message: Message) -> None:
        if message["type"] == "http.response.start" and _type_of(message) == MEDIA_TYPE:
            held.append(message)
        elif held and message["type"] == "http.response.body":
            start, body = held.pop(), in_openais_shape(message["body"])  # a problem comes in one piece
            headers = MutableHeaders(raw=list(start["headers"]))
            headers["content-type"], headers["content-length"] = "application/json", str(len(body))
            await send({**start, "headers": headers.raw})
            await send({**message, "body": body})
        else:
            await send(message)

    return send_shaped


def _type_of(start: Message) -> str | None:
    return Headers(raw=list(start["headers"])).get("content-type")
