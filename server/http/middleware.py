"""What every request of the service passes, in order."""

from fastapi import FastAPI
from starlette.middleware import Middleware
from starlette.types import ASGIApp

from khub.server.http.audit_log import AuditLog
from khub.server.http.authentication import Authentication
from khub.server.http.authorization import Authorization
from khub.server.http.body_limit import BodyLimit
from khub.server.http.concurrency_limit import ConcurrencyLimit
from khub.server.http.dashboard_sign_in import DashboardSignIn
from khub.server.http.dify.error_shape import DifyErrorShape
from khub.server.http.host_check import HostCheck
from khub.server.http.openai.error_shape import OpenAIErrorShape
from khub.server.http.origins import cors
from khub.server.http.rate_limit import RateLimit, Rates
from khub.server.http.revocation import Revocation
from khub.server.http.root_path import RootPath
from khub.server.http.route_access import RouteAccess
from khub.server.http.security_headers import SecurityHeaders
from khub.server.http.service_options import ServiceOptions
from khub.server.http.shown_paths import ShownPaths
from khub.server.http.timeout import Timeout
from khub.server.http.traceparent import TraceParent
from khub.server.http.trusted_proxy import TrustedProxy
from khub.server.http.visitors import Visitors
from khub.server.listening.addresses import allowed_hosts, known_places
from khub.server.mcp.http import PATH as MCP_PATH


def guarded(app: FastAPI, options: ServiceOptions, pages: tuple[ASGIApp, Visitors] | None = None) -> ASGIApp:
    """Return an application that answers a request only if it may.

    :param options: what the service allows.
    :param pages: those of the dashboard, and who may see them; None where there are none.
    """
    hosts, tokens, proxy = allowed_hosts(options.host, options.more_hosts), options.tokens, options.proxy
    roots = options.roots if options.watched is None else (*options.roots, options.watched.path)
    rates = Rates(options.rate)
    pages_places, root_path = known_places(hosts), options.root_path
    dashboard = [Middleware(DashboardSignIn, *pages, pages_places, rates, root_path)] if pages is not None else []
    stack = [
        Middleware(RootPath, root_path),  # all below see paths as the routes have them
        *([] if proxy is None else [Middleware(TrustedProxy, proxy, options.user_header)]),  # and the client's address
        *dashboard,  # visitors have a cookie, and no token for what follows
        *cors(options.origins),  # a browser asks without a token whether it may ask
        Middleware(SecurityHeaders),  # on every answer, and on every refusal
        Middleware(RouteAccess, app),  # probes need nothing of what follows
        Middleware(OpenAIErrorShape),  # of all that is refused below
        Middleware(DifyErrorShape),
        Middleware(AuditLog),  # also of who is refused
        Middleware(Authentication, tokens),  # all below ask who it is
        Middleware(Revocation, tokens),  # outside of what may hold an answer back
        Middleware(ShownPaths, roots),  # depends on who is told
        Middleware(HostCheck, known_places(hosts, options.origins)),  # is logged with the name of the token
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
