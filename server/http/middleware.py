"""What every request of the service passes, in order."""

from collections.abc import Sequence
from pathlib import Path

from fastapi import FastAPI
from starlette.middleware import Middleware
from starlette.types import ASGIApp
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

from khub.server.http.audit_log import AuditLog
from khub.server.http.authentication import Authentication
from khub.server.http.authorization import Authorization
from khub.server.http.body_limit import BodyLimit
from khub.server.http.concurrency_limit import ConcurrencyLimit
from khub.server.http.host_check import HostCheck
from khub.server.http.openai.error_shape import OpenAIErrorShape
from khub.server.http.origins import cors
from khub.server.http.rate_limit import RateLimit, Rates
from khub.server.http.revocation import Revocation
from khub.server.http.root_path import RootPath
from khub.server.http.route_access import RouteAccess
from khub.server.http.security_headers import SecurityHeaders
from khub.server.http.shown_paths import ShownPaths
from khub.server.http.timeout import Timeout
from khub.server.http.tokens import Tokens
from khub.server.http.traceparent import TraceParent
from khub.server.http.user_header import UserHeader
from khub.server.listening.addresses import known_places
from khub.server.mcp.http import PATH as MCP_PATH


def guarded(
    app: FastAPI,
    tokens: Tokens,
    hosts: Sequence[str],
    rates: Rates,
    root_path: str = "",
    proxy: str | None = None,
    user_header: str | None = None,
    dashboard: Sequence[Middleware] = (),
    origins: Sequence[str] = (),
    roots: Sequence[Path] = (),
) -> ASGIApp:
    """Return an application that answers a request only if it may.

    :param tokens: who may do what.
    :param hosts: values of `Host` that are answered, see `allowed_hosts`.
    :param rates: how often.
    :param root_path: what a proxy puts before all paths.
    :param proxy: from this address, or network, it is believed who its client and its user are.
    :param user_header: in which the proxy names its user.
    :param dashboard: what answers for the pages; nothing where there are none.
    :param origins: of web pages from elsewhere that may use the service.
    :param roots: folders from which files may be ingested.
    """
    of_proxy = Middleware(ProxyHeadersMiddleware, proxy)  # type: ignore[arg-type]
    stack = [
        Middleware(RootPath, root_path),  # all below see paths as the routes have them
        Middleware(UserHeader, user_header, proxy),  # sees the address of the proxy itself, which then goes
        *([] if proxy is None else [of_proxy]),  # all below see the address of its client
        *dashboard,  # visitors have a cookie, and none of the tokens that all below ask for
        *cors(origins),  # a browser asks without a token whether it may ask
        Middleware(SecurityHeaders),  # on every answer, and on every refusal
        Middleware(RouteAccess, app),  # probes need nothing of what follows
        Middleware(OpenAIErrorShape),  # of all that is refused below
        Middleware(AuditLog),  # also of who is refused
        Middleware(Authentication, tokens),  # all below ask who it is
        Middleware(Revocation, tokens),  # outside of what may hold an answer back
        Middleware(ShownPaths, roots),  # depends on who is told
        Middleware(HostCheck, known_places(hosts, origins)),  # is logged with the name of the token
        Middleware(Authorization, tokens, rates),  # before what counts: who is refused uses up nothing
        Middleware(RateLimit, rates),  # before the body, which costs something
        Middleware(TraceParent),  # also of an answer that took too long
        Middleware(Timeout, MCP_PATH),  # before the body, whose parts give it more time
        Middleware(BodyLimit),  # before a place is taken: a request that is not whole yet takes none
        Middleware(ConcurrencyLimit),  # until the answer begins
    ]
    guarded: ASGIApp = app
    for middleware in reversed(stack):
        guarded = middleware.cls(guarded, *middleware.args, **middleware.kwargs)
    return guarded
