"""The end of an answer whose caller has lost its rights meanwhile."""

import asyncio
from dataclasses import dataclass

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from khub.components.errors import KhubError
from khub.server.http.tokens import Tokens


@dataclass
class Revocation:
    """Ends what is sent piece by piece once the token no longer lets its caller do what it did."""

    app: ASGIApp
    tokens: Tokens

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer for as long as the caller may have it."""
        pieces, ended, has_length = 0, False, False

        async def send_allowed(message: Message) -> None:
            nonlocal pieces, ended, has_length
            if message["type"] == "http.response.start":
                has_length = "content-length" in Headers(raw=message["headers"])
            else:
                pieces += 1
            if pieces <= 1 or not (ended or await asyncio.to_thread(self._has_lost, scope)):
                await send(message)
            elif not ended:
                ended = True
                if not has_length:  # one that promised more is cut off
                    await send({"type": "http.response.body", "body": b"", "more_body": False})
                revoked.reschedule(asyncio.get_running_loop().time())

        try:
            async with asyncio.timeout(None) as revoked:
                await self.app(scope, receive, send_allowed)
        except TimeoutError:
            if not revoked.expired():
                raise

    def _has_lost(self, scope: Scope) -> bool:
        state, given = scope["state"], Headers(scope=scope).get("authorization", "")
        try:
            return self.tokens.caller(given) != (state["access"], state["caller"])
        except KhubError:  # nobody can tell any more
            return True
