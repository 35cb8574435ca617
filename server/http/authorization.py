"""What a caller may do."""

from dataclasses import dataclass

from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from khub.server.access_right import Access
from khub.server.http.authentication import address
from khub.server.http.problems import problem
from khub.server.http.rate_limit import Rates, too_often
from khub.server.http.tokens import WRITE_TOKEN, Tokens, bearer_token

INVALID = 'Bearer error="invalid_token"'


@dataclass
class Authorization:
    """Refuses who may not do what its request needs; who comes with tokens that are none may not do so often."""

    app: ASGIApp
    tokens: Tokens
    rates: Rates

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Hand on, or refuse."""
        answer, state = self.app, scope["state"]
        if state["access"] < state["needed"]:
            given = Headers(scope=scope).get("authorization")
            guesses = given is not None and not state["caller"].name
            wait_s = self.rates.guesses_wait_s(address(scope)) if guesses else 0
            answer = too_often(wait_s) if wait_s else _told(scope) or refusal(state["access"], self.tokens, given or "")
        await answer(scope, receive, send)


def _told(scope: Scope) -> Response | None:
    """Return the answer to a person who may see nothing, or whose token does not count any more."""
    state = scope["state"]
    if "refused" in state:
        return problem(401, state["refused"], {"WWW-Authenticate": INVALID})
    if state["access"] is Access.NOTHING and state["caller"].name:
        return problem(403, "the issuer names no group that may see something here")
    return None


def refusal(access: Access, tokens: Tokens, authorization: str) -> Response:
    """Return the answer to a request that may not do what it wants.

    :param access: what it may do.
    :param tokens: the service's.
    :param authorization: its header.
    """
    if access is Access.NOTHING or (not tokens.are_needed() and tokens.let_write()):
        if bearer_token(authorization):
            return problem(401, "this token is not known, or its time is over", {"WWW-Authenticate": INVALID})
        return problem(401, "a token is needed for this", {"WWW-Authenticate": "Bearer"})
    if not tokens.let_write():
        return problem(403, "writing is closed", remedy=f"start the service with {WRITE_TOKEN}")
    return problem(403, "this token may not write")
