"""By which names, and for pages of which origins, the service answers."""

from dataclasses import dataclass

from mcp.server.transport_security import TransportSecurityMiddleware
from starlette.requests import Request
from starlette.types import ASGIApp, Receive, Scope, Send

from khub.server.http.problems import problem


@dataclass
class HostCheck:
    """Refuses requests with another `Host` or `Origin`: a page from elsewhere has made them.

    :param security: knows both, see `known_places`.
    """

    app: ASGIApp
    security: TransportSecurityMiddleware

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Hand on, or refuse."""
        answer = self.app
        if refused := await self.security.validate_request(Request(scope)):
            answer = problem(refused.status_code, "the service is not known by this Host, or not to this Origin")
        await answer(scope, receive, send)
