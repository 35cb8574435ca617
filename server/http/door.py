"""The door of the service: what every request passes before anything else sees it."""

import re
from collections.abc import Sequence

from fastapi import FastAPI
from mcp.server.transport_security import TransportSecurityMiddleware, TransportSecuritySettings
from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Message, Receive, Scope, Send

from server.http.addresses import allowed_origins
from server.http.problems import problem
from server.http.tokens import PROBES, WRITE_TOKEN, Access, Tokens, needed

MOST_BYTES = 4 * 1024 * 1024
DEPLOYING = re.compile(r"/(status|draw|(un)?deploy([-_]\w+)?)(/.*)?", re.DOTALL)
"""Routes of hayhooks that run code, that send a graph to another site, or that know only what was deployed."""
EMPTY = re.compile(r"/(v1/)?files(/.*)?", re.DOTALL)
"""Routes of hayhooks that take files, and keep none."""
HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
}


class Door:
    """Lets in who may come in: known host and origin, a body of some size, a token that is good enough.

    :param app: what lies behind.
    :param tokens: who may do what.
    :param hosts: values of `Host` that are answered, see `allowed_hosts`.
    :param allow_deploy: leave hayhooks' own routes open to who may write.
    """

    def __init__(self, app: FastAPI, tokens: Tokens, hosts: Sequence[str], allow_deploy: bool = False) -> None:
        self.app = app
        self._tokens = tokens
        self._allow_deploy = allow_deploy
        self._security = TransportSecurityMiddleware(
            TransportSecuritySettings(allowed_hosts=list(hosts), allowed_origins=allowed_origins(hosts))
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request that may not come in; hand the others on."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
        elif scope["type"] == "http":
            sending = _with_headers(send)
            answer = await self._refusal(scope) or self.app
            await answer(scope, _limited(receive), sending)
        else:  # there are no web sockets
            await send({"type": "websocket.close", "code": 1008})

    async def _refusal(self, scope: Scope) -> Response | None:
        """Return why a request may not come in; note what it may do if it may."""
        method, path, headers = scope["method"], scope["path"], Headers(scope=scope)
        if path not in PROBES and (refused := await self._security.validate_request(Request(scope))):
            return problem(refused.status_code, "the service is not known by this Host, or not to this Origin")
        access = self._tokens.access(headers.get("authorization", ""))
        scope.setdefault("state", {})["access"] = access
        need, closed = needed(method, path), EMPTY.fullmatch(path) is not None
        if DEPLOYING.fullmatch(path):
            need, closed = (Access.WRITE, False) if self._allow_deploy else (Access.READ, True)
        if access < need:
            return refusal(access, self._tokens)
        if closed:
            return problem(404, "there is no such route")
        size = headers.get("content-length", "0")
        if not size.isdecimal() or int(size) > MOST_BYTES:
            return problem(413, f"the body is larger than {MOST_BYTES} bytes")
        return None


def refusal(access: Access, tokens: Tokens) -> Response:
    """Return the answer to a request that may not do what it wants.

    :param access: what it may do.
    :param tokens: the service's.
    """
    if access is Access.NOTHING or (tokens.read is None and tokens.write is not None):
        return problem(401, "a token is needed for this", {"WWW-Authenticate": "Bearer"})
    if tokens.write is None:
        return problem(403, "writing is closed", remedy=f"start the service with {WRITE_TOKEN}")
    return problem(403, "this token may not write")


def _limited(receive: Receive) -> Receive:
    """Take no more of a body than is allowed, whatever its header says."""
    taken = 0

    async def receive_some() -> Message:
        nonlocal taken
        message = await receive()
        taken += len(message.get("body", b""))
        if taken > MOST_BYTES:
            raise HTTPException(413, f"the body is larger than {MOST_BYTES} bytes")
        return message

    return receive_some


def _with_headers(send: Send) -> Send:
    async def send_all(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in HEADERS.items():
                headers.setdefault(name, value)
        await send(message)

    return send_all
