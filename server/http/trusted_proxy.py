"""Of whom the service believes who asks."""

from typing import Any

from starlette.datastructures import Headers
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

from khub.server.http.authentication import address


class TrustedProxy(ProxyHeadersMiddleware):
    """Believes the proxy, and nobody else, who its client and its user are.

    :param proxy: its address, or network.
    :param user_header: in which it names its user; None where it names none.
    """

    def __init__(self, app: Any, proxy: str, user_header: str | None) -> None:
        super().__init__(app, proxy)
        self._user_header = (user_header or "").lower()

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Hand on, with the name of a user only if nobody but the proxy may have set it."""
        named = Headers(scope=scope).getlist(self._user_header)  # beside its own it may leave a client's
        if len(named) > 1 or address(scope) not in self.trusted_hosts:
            others = [pair for pair in scope["headers"] if pair[0].lower() != self._user_header.encode()]
            scope = {**scope, "headers": others}
        await super().__call__(scope, receive, send)
