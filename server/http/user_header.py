"""Of whom the service believes the name of a visitor."""

import contextlib
import ipaddress
from dataclasses import dataclass

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from khub.server.http.authentication import address


@dataclass
class UserHeader:
    """Takes the name of a user from a request if anybody but the proxy may have set it.

    :param name: of the header; None where no proxy names its users.
    :param proxy: its address, or network.
    """

    app: ASGIApp
    name: str | None
    proxy: str | None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Hand on."""
        if self.name is not None and not self._is_of_proxy(scope):
            others = [pair for pair in scope["headers"] if pair[0].lower() != self.name.lower().encode()]
            scope = {**scope, "headers": others}
        await self.app(scope, receive, send)

    def _is_of_proxy(self, scope: Scope) -> bool:
        with contextlib.suppress(ValueError):  # a socket of another kind has no address
            its_own = ipaddress.ip_address(address(scope)) in ipaddress.ip_network(self.proxy or "")
            return its_own and len(Headers(scope=scope).getlist(self.name or "")) == 1  # it may leave a client's beside
        return False
