"""The application that `khub serve` runs: hayhooks' own with the hub's routes, within its middlewares."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Protocol

from fastapi import FastAPI
from starlette.middleware import Middleware
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from khub.components.home import hub_home
from khub.server.http.dashboard_sign_in import DashboardSignIn
from khub.server.http.docs_page import POLICY, docs_page
from khub.server.http.graph_routes import GraphRoutes
from khub.server.http.hayhooks_app import hayhooks_app
from khub.server.http.hub_routes import hub_routes
from khub.server.http.job_routes import JobRoutes
from khub.server.http.mcp_route import McpRoute
from khub.server.http.metrics import Metrics
from khub.server.http.middleware import guarded
from khub.server.http.openai.routes import openai_router
from khub.server.http.openapi import openapi
from khub.server.http.origins import check_origins
from khub.server.http.problems import tell_problems
from khub.server.http.rate_limit import Rates
from khub.server.http.readiness import Readiness
from khub.server.http.route_access import READS, declared
from khub.server.http.routes import first_parts
from khub.server.http.served_graphs import ServedGraphs
from khub.server.http.tokens import Tokens
from khub.server.http.upload_route import UploadRoute
from khub.server.http.visitors import Visitors, check_user_header
from khub.server.jobs.runner import Runner
from khub.server.jobs.watched_folder import WatchedFolder
from khub.server.listening.addresses import allowed_hosts, check_address, check_proxy, known_places
from khub.server.mcp.http import PATH as MCP_PATH
from khub.server.traces.tracer import watch_requests


class Pages(Protocol):
    """An application of its own that the service shows."""

    def lifespan(self) -> Callable[[Any], AbstractAsyncContextManager[None]]:
        """Return what has to be open while it is served."""
        ...

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""


Dashboard = Callable[[Visitors], Pages]


@dataclass(frozen=True)
class ServiceOptions:
    """What the person who starts the service allows.

    :param host: address that is listened on.
    :param more_hosts: names by which clients reach this machine, beside its own.
    :param tokens: who may read and write.
    :param roots: folders from which files may be ingested.
    :param allow_deploy: leave hayhooks' own routes that run code open to who may write.
    :param workers: processes that serve.
    :param watched: a folder that a collection is kept like.
    :param root_path: what a proxy puts before all paths, such as `/hub`; empty for nothing.
    :param rate: how often each caller may ask, such as `600/minute`; None for as often as it likes.
    :param proxy: address, or network, of a proxy that is believed who its client is; None where none is.
    :param dashboard: makes the pages for those who may see them; None where there are none.
    :param user_header: in which the proxy names who looks at the pages.
    :param owner: what the one who runs the hub signs in to the pages with; None where nobody does so.
    :param origins: of web pages from elsewhere that may use the service, such as `https://app.example`.
    :raises KhubError: if the proxy is neither, a header is believed that anybody could set, or an origin is none.
    """

    host: str = "127.0.0.1"
    more_hosts: tuple[str, ...] = ()
    tokens: Tokens = field(default_factory=Tokens)
    roots: tuple[Path, ...] = ()
    allow_deploy: bool = False
    rate: str | None = None
    workers: int = 1
    watched: WatchedFolder | None = None
    root_path: str = ""
    proxy: str | None = None
    dashboard: Dashboard | None = None
    user_header: str | None = None
    owner: str | None = None
    origins: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.proxy is not None:
            check_proxy(self.proxy)
        check_user_header(self.user_header, self.proxy)
        check_origins(self.origins)


def build_app(options: ServiceOptions) -> FastAPI:
    """Return the application without its middlewares.

    :param options: what it allows.
    """
    app = hayhooks_app(hub_home() / "deployed" if options.allow_deploy else None)
    graphs = ServedGraphs()
    readiness = Readiness(graphs)
    mcp = McpRoute(options.host, options.more_hosts, options.roots, options.workers == 1, options.origins)
    jobs, runner, metrics = JobRoutes(), Runner(options.watched), Metrics()

    def end_streams() -> None:
        mcp.end_streams()
        jobs.end_streams()

    app.state.end_streams = end_streams
    app.include_router(openai_router(graphs))
    app.include_router(readiness.router())
    of_mcp = declared(Route(MCP_PATH, mcp, methods=["POST", "DELETE"]), READS)  # what a tool needs it asks itself
    app.router.routes += [of_mcp, Route(MCP_PATH, mcp)]
    app.include_router(hub_routes())
    app.include_router(UploadRoute().router())
    app.include_router(jobs.router())
    app.include_router(metrics.router())
    reserved = frozenset({"openapi.json", "docs", "graphs", *first_parts(app.routes)}) - {"verify"}  # a shipped graph
    routes = GraphRoutes(graphs, options.tokens, options.roots, reserved)

    async def document(_: Any) -> Response:
        return JSONResponse(await asyncio.to_thread(openapi, app, graphs, routes, options.root_path))

    async def page(_: Any) -> Response:
        shown = docs_page(await asyncio.to_thread(openapi, app, graphs, routes, options.root_path))
        return HTMLResponse(shown, headers={"Content-Security-Policy": POLICY})

    app.router.routes += [Route("/openapi.json", document), Route("/docs", page)]
    app.include_router(routes.router())
    tell_problems(app)
    of_hayhooks = app.router.lifespan_context

    @asynccontextmanager
    async def lifespan(inner: FastAPI) -> AsyncIterator[None]:
        async with of_hayhooks(inner), mcp.running(), readiness.warming(wait=options.workers > 1):
            with runner.running(), graphs.followed(), watch_requests(metrics.observe):
                yield

    app.router.lifespan_context = lifespan
    return app


@dataclass(frozen=True)
class Service:
    """What a server serves.

    :param app: that answers.
    :param guarded: the same, for requests.
    """

    app: FastAPI
    guarded: ASGIApp

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request; begin and end the application."""
        await (self.app if scope["type"] == "lifespan" else self.guarded)(scope, receive, send)

    def end_streams(self) -> None:
        """End what stands as long as its client: the service is told to stop."""
        self.app.state.end_streams()


def build_service(options: ServiceOptions) -> Service:
    """Return what is served.

    :param options: what it allows.
    :raises KhubError: if others could come in without a token.
    """
    needs_token = options.tokens.are_needed()
    check_address(options.host, needs_token)
    # the last token that is revoked does not open to everybody what was guarded when it started
    options = replace(options, tokens=replace(options.tokens, always=needs_token))
    hosts = allowed_hosts(options.host, options.more_hosts)
    rates = Rates(options.rate)
    app = build_app(options)
    dashboard = []
    if options.dashboard is not None:
        visitors = Visitors(options.tokens, options.user_header, options.owner)
        pages = options.dashboard(visitors)
        _keep_open(app, pages.lifespan())
        dashboard = [Middleware(DashboardSignIn, pages, visitors, known_places(hosts), rates, options.root_path)]
    root_path, proxy, user_header, origins = options.root_path, options.proxy, options.user_header, options.origins
    roots = options.roots if options.watched is None else (*options.roots, options.watched.path)
    stack = guarded(app, options.tokens, hosts, rates, root_path, proxy, user_header, dashboard, origins, roots)
    return Service(app, stack)


def _keep_open(app: FastAPI, lifespan: Callable[[Any], AbstractAsyncContextManager[None]]) -> None:
    of_app = app.router.lifespan_context

    @asynccontextmanager
    async def both(inner: FastAPI) -> AsyncIterator[None]:
        async with of_app(inner), lifespan(inner):
            yield

    app.router.lifespan_context = both
