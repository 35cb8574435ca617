"""For whom a request is answered."""

import asyncio
import contextvars
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from khub.components.catalog.access import Caller, calling_as
from khub.components.errors import KhubError
from khub.server.access_right import Access
from khub.server.graphs.places import RETRY_S
from khub.server.http.problems import problem, problem_of
from khub.server.http.tokens import Tokens
from khub.server.people.asking import asking
from khub.server.people.issuer_requests import IssuerError
from khub.server.people.verified_claims import RefusedTokenError

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
            if self.tokens.asks_issuer(given):
                access, who = await asking(self.tokens.caller, given)
            else:
                here = contextvars.copy_context()  # which hub it is, as for all that follows
                reading = asyncio.get_running_loop().run_in_executor(_READERS, here.run, self.tokens.caller, given)
                access, who = await reading
        except RefusedTokenError as error:  # refused where something is needed, and counted with those that guess
            access, who = Access.NOTHING, Caller()
            scope["state"]["refused"] = error.message
        except IssuerError as error:
            detail = "the issuer is away, and this token cannot be checked without it"
            await problem(503, detail, {"Retry-After": str(RETRY_S)}, code=error.code)(scope, receive, send)
            return
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
