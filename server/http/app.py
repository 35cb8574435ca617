"""The application that `khub serve` runs: hayhooks' own with the hub's routes, within its middlewares."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager, nullcontext
from dataclasses import dataclass, replace
from typing import Any

from fastapi import FastAPI
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from khub.components.catalog.catalog import open_catalog
from khub.components.home import hub_home
from khub.server.http.collection_routes import CollectionRoutes
from khub.server.http.dify.routes import dify_router
from khub.server.http.docs_page import POLICY, docs_page
from khub.server.http.document_path import document_path
from khub.server.http.document_routes import DocumentRoutes
from khub.server.http.graph_routes import GraphRoutes
from khub.server.http.hayhooks_app import hayhooks_app
from khub.server.http.job_routes import JobRoutes
from khub.server.http.mcp_route import McpRoute
from khub.server.http.metrics import Metrics
from khub.server.http.middleware import guarded
from khub.server.http.open_webui.sync_routes import SyncRoutes
from khub.server.http.open_webui.synced_file_route import SyncedFileRoute
from khub.server.http.openai.routes import openai_router
from khub.server.http.openapi import openapi
from khub.server.http.picture_routes import PictureRoutes
from khub.server.http.problems import tell_problems
from khub.server.http.readiness import Readiness
from khub.server.http.route_access import READS, declared
from khub.server.http.routes import first_parts
from khub.server.http.search_routes import SearchRoutes
from khub.server.http.served_graphs import ServedGraphs
from khub.server.http.service_options import ServiceOptions
from khub.server.http.source_routes import SourceRoutes
from khub.server.http.trace_routes import TraceRoutes
from khub.server.http.upload_route import UploadRoute
from khub.server.http.visitors import Visitors
from khub.server.jobs.runner import Runner
from khub.server.listening.addresses import check_address
from khub.server.mcp.http import PATH as MCP_PATH
from khub.server.nearby.answering import answering_commands
from khub.server.traces.tracer import watch_requests


def build_app(options: ServiceOptions, *lifespans: Callable[[Any], AbstractAsyncContextManager[None]]) -> FastAPI:
    """Return the application without its middlewares.

    :param options: what it allows.
    :param lifespans: of what is served beside it.
    """
    app = hayhooks_app(hub_home() / "deployed" if options.allow_deploy else None)
    graphs = ServedGraphs()
    alone = options.workers == 1 and not open_catalog().database.shared
    mcp = McpRoute(options.host, options.more_hosts, options.roots, alone, options.origins, document_path(options))
    readiness, jobs, runner, metrics = Readiness(graphs), JobRoutes(), Runner(options.watched), Metrics()
    app.state.streaming = (mcp, jobs)
    of_mcp = declared(Route(MCP_PATH, mcp, methods=["POST", "DELETE"]), READS)  # what a tool needs it asks itself
    app.router.routes += [of_mcp, Route(MCP_PATH, mcp)]
    app.include_router(openai_router(graphs))
    app.include_router(dify_router())
    documents = (CollectionRoutes(), DocumentRoutes(), PictureRoutes(), UploadRoute(), SourceRoutes())
    of_others = (SyncRoutes(), SyncedFileRoute())
    for one in (readiness, *documents, *of_others, SearchRoutes(), TraceRoutes(), jobs, metrics):
        app.include_router(one.router())
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
        own = [of_hayhooks(inner), mcp.running(), readiness.warming(wait=options.workers > 1)]
        async with AsyncExitStack() as stack:
            for one in (*own, *(more(inner) for more in lifespans)):
                await stack.enter_async_context(one)
            working = runner.running() if options.runs_jobs else nullcontext()
            with working, graphs.followed(), watch_requests(metrics.observe), answering_commands():
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
        for one in self.app.state.streaming:
            one.end_streams()


def build_service(options: ServiceOptions) -> Service:
    """Return what is served.

    :param options: what it allows.
    :raises KhubError: if others could come in without a token.
    """
    needs_token = options.tokens.are_needed()
    check_address(options.host, needs_token)
    # the last token that is revoked does not open to everybody what was guarded when it started
    options = replace(options, tokens=replace(options.tokens, always=needs_token))
    if options.dashboard is None:
        app = build_app(options)
        return Service(app, guarded(app, options))
    visitors = Visitors(options.tokens, options.user_header, options.owner)
    pages = options.dashboard(visitors)
    app = build_app(options, pages.lifespan())
    return Service(app, guarded(app, options, (pages, visitors)))
