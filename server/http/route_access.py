"""What each route needs of its caller, as it is declared where the route is added."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from fastapi import FastAPI
from starlette.routing import BaseRoute
from starlette.types import ASGIApp, Receive, Scope, Send

from khub.server.access_right import Access
from khub.server.http.routes import all_routes

X_ACCESS = "x-access"
OPEN, READS, WRITES = ({X_ACCESS: word} for word in ("none", "read", "write"))
"""`openapi_extra` of a route; one without needs `write`, but for methods that change nothing."""


def declared(route: BaseRoute, extra: dict[str, Any]) -> BaseRoute:
    """Return a route that was not added with `openapi_extra`, which declares the same."""
    route.openapi_extra = extra  # type: ignore[attr-defined]
    return route


def access_word(method: str, extra: dict[str, Any] | None) -> str:
    """Return `none`, `read` or `write`.

    :param extra: `openapi_extra` of the route.
    """
    return str((extra or {}).get(X_ACCESS) or ("read" if method.upper() in {"GET", "HEAD", "OPTIONS"} else "write"))


def needed(routes: Sequence[BaseRoute], scope: Scope) -> Access:
    """Return what a request needs; who may read is told that there is no such route, or not by this method."""
    method, found = scope["method"], Access.READ
    for route in all_routes(routes):
        if route.path_regex.match(scope["path"]):  # type: ignore[attr-defined]
            extra, methods = getattr(route, "openapi_extra", None), getattr(route, "methods", None)
            if not methods or method in methods:
                return _ACCESS[access_word(method, extra)]
            if extra == OPEN:
                found = Access.NOTHING
    return found


_ACCESS = {"none": Access.NOTHING, "read": Access.READ, "write": Access.WRITE}


@dataclass
class RouteAccess:
    """Finds what a request needs; for one that needs nothing no more is checked.

    :param service: whose routes they are.
    """

    app: ASGIApp
    service: FastAPI

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, or hand on."""
        if scope["type"] == "websocket":  # the pages alone have some
            await send({"type": "websocket.close", "code": 1008})
            return
        need = needed(self.service.routes, scope)
        scope.setdefault("state", {})["needed"] = need
        await (self.service if need is Access.NOTHING else self.app)(scope, receive, send)
