"""What a caller may do."""

from dataclasses import dataclass

from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from khub.server.http.authentication import address
from khub.server.http.problems import problem
from khub.server.http.rate_limit import Rates, too_often
from khub.server.http.tokens import WRITE_TOKEN, Access, Tokens


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
            guesses = not state["caller"].name and "authorization" in Headers(scope=scope)
            wait_s = self.rates.guesses_wait_s(address(scope)) if guesses else 0
            answer = too_often(wait_s) if wait_s else refusal(state["access"], self.tokens)
        await answer(scope, receive, send)


def refusal(access: Access, tokens: Tokens) -> Response:
    """Return the answer to a request that may not do what it wants.

    :param access: what it may do.
    :param tokens: the service's.
    """
    if access is Access.NOTHING or (not tokens.are_needed() and tokens.let_write()):
        return problem(401, "a token is needed for this", {"WWW-Authenticate": "Bearer"})
    if not tokens.let_write():
        return problem(403, "writing is closed", remedy=f"start the service with {WRITE_TOKEN}")
    return problem(403, "this token may not write")
