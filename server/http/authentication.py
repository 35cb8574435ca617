"""For whom a request is answered."""

import asyncio
import contextvars
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from khub.components.catalog.access import calling_as
from khub.components.errors import KhubError
from khub.server.http.problems import problem_of
from khub.server.http.tokens import Tokens

_READERS = ThreadPoolExecutor(4, "tokens")
"""Reading tokens may wait for a database that is away, and must not wait for what other requests wait for."""


@dataclass
class Authentication:
    """Finds the caller by its token, and lets what lies behind run for it, see `khub.components.catalog.access`."""

    app: ASGIApp
    tokens: Tokens

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Hand on for the caller, which may be nobody."""
        try:
            given = Headers(scope=scope).get("authorization", "")
            here = contextvars.copy_context()  # which hub it is, as for all that follows
            reading = asyncio.get_running_loop().run_in_executor(_READERS, here.run, self.tokens.caller, given)
            access, who = await reading
        except KhubError as error:
            await problem_of(error)(scope, receive, send)
            return
        scope["state"] |= {"access": access, "caller": who}
        if who.name:  # a session of MCP belongs to the token that began it
            scope["user"] = AuthenticatedUser(AccessToken(token="", client_id=who.name, scopes=[]))
        with calling_as(who):
            await self.app(scope, receive, send)


def rated(scope: Scope) -> str:
    """Return under which name a request is counted: that of its token, or its address."""
    return str(scope["state"]["caller"].name or address(scope))


def address(scope: Scope) -> str:
    """Return where a request comes from; empty where that has no address."""
    return str((scope.get("client") or ("",))[0])
