"""Routes that run graphs, and that show them."""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from fastapi import APIRouter
from fastapi.routing import APIRoute
from pydantic import BaseModel, Field, ValidationError
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Match
from starlette.types import Scope

from khub.server.access_right import Access
from khub.server.graphs.extensions import extensions_of
from khub.server.graphs.load import GraphInfo, list_graphs
from khub.server.graphs.mermaid import mermaid
from khub.server.graphs.view import view_graph
from khub.server.http.authorization import refusal
from khub.server.http.documented import problems
from khub.server.http.graph_request import given_inputs, request_model
from khub.server.http.graph_runs import run
from khub.server.http.hayhooks_app import is_deployed
from khub.server.http.problems import invalid, problem
from khub.server.http.route_access import READS
from khub.server.http.served_graphs import RUN_KINDS, ServedGraphs
from khub.server.http.tokens import Tokens

MERMAID = "mermaid"
RUN = "/{name:path}/run"


class GraphEntry(BaseModel):
    """A graph in a list."""

    name: str
    kind: str
    description: str
    run: str | None = Field(description="The path that runs it.")


class GraphList(BaseModel):
    """All graphs."""

    graphs: list[GraphEntry]


class ShownGraph(BaseModel):
    """A graph by itself; of one that cannot be used there is no more than the first three."""

    name: str
    served: bool
    problem: str | None
    kind: str = ""
    description: str = ""
    parts: dict[str, str] = Field(default={}, description="Component -> its class.")
    request: dict[str, Any] | None = Field(default=None, description="JSON schema of what `run` takes.")
    extensions: list[str] = Field(default=[], description="Of the files that one of kind `ingest` takes.")
    run: str | None = Field(default=None, description="The path that runs it.")


class GraphRoutes:
    """Runs and shows the graphs of a folder.

    :param graphs: that are served.
    :param tokens: who may write.
    :param roots: folders from which files may be ingested.
    :param reserved: first parts of the hub's other paths; a graph that is called so is not run.
    """

    def __init__(self, graphs: ServedGraphs, tokens: Tokens, roots: Sequence[Path], reserved: frozenset[str]) -> None:
        self._graphs = graphs
        self._tokens = tokens
        self._roots = roots
        self._reserved = reserved

    def router(self) -> APIRouter:
        """Return the routes; the one that runs graphs comes last, since it fits many paths."""
        router = APIRouter(tags=["graphs"])
        get, known = router.get, problems(404)
        drawn: Any = {"response_class": PlainTextResponse, "summary": "Draw a graph as Mermaid"}
        get("/graphs", summary="List the graphs", responses=problems())(self.list)
        get(f"/graphs/{{name:path}}/{MERMAID}", responses=known, **drawn)(self.mermaid)
        shown: Any = {"response_model": ShownGraph, "response_model_exclude_unset": True}
        get("/graphs/{name:path}", summary="Show a graph", responses=known, **shown)(self.show)
        run: Any = {"include_in_schema": False, "route_class_override": _UndeployedRoute, "methods": ["POST"]}
        router.add_api_route(RUN, self.run, openapi_extra=READS, **run)  # a graph that ingests needs more, see `run`
        return router

    def is_reserved(self, name: str) -> bool:
        """Say whether a graph cannot be run, since the hub's own paths begin or end so."""
        parts = name.split("/")
        return parts[0] in self._reserved or parts[-1] == MERMAID

    async def list(self) -> GraphList:
        """Return name, kind and description of each, and the path that runs it."""
        infos = await asyncio.to_thread(list_graphs)
        return GraphList(graphs=[self._entry(info) for info in infos])

    async def show(self, name: str) -> dict[str, Any]:
        """Return what a graph takes, and what is wrong with its file: then the graph before that edit serves.

        Of one of kind `ingest` also `extensions`: those of the files that it takes out of a folder.
        """
        graph, wrong = await asyncio.to_thread(self._graphs.seen, name)
        reserved = "its name is one of the service's own paths: rename its file" if self.is_reserved(name) else None
        shown = {"name": name, "served": graph is not None and not reserved, "problem": wrong or reserved}
        if graph is None:
            return shown
        view = view_graph(graph)
        takes = request_model(graph).model_json_schema() if graph.kind in RUN_KINDS else None
        described = {"kind": view.kind, "description": view.description, "parts": view.parts, "request": takes}
        read = {"extensions": sorted(extensions_of(graph))} if graph.kind == "ingest" else {}
        return {**shown, **described, **read, "run": self._path(name, graph.kind)}

    async def mermaid(self, name: str) -> Response:
        """Return the text of a Mermaid flowchart."""
        graph, wrong = await asyncio.to_thread(self._graphs.seen, name)
        if graph is None:
            return problem(503, wrong)
        return PlainTextResponse(mermaid(view_graph(graph)))

    async def run(self, name: str, request: Request) -> Response:
        """Run a graph."""
        if self.is_reserved(name):
            detail = f"{name[:100]!r} is one of the service's own paths"
            return problem(404, detail, code="graph_unknown", remedy="rename the graph's file")
        graph = await asyncio.to_thread(self._graphs.usable, name)
        if graph.kind not in RUN_KINDS:
            return problem(404, f"graphs of kind {graph.kind!r} are not run here", code="graph_unknown")
        access = request.state.access
        if graph.kind == "ingest" and access < Access.WRITE:
            return refusal(access, self._tokens, request.headers.get("authorization", ""))
        if request.headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
            return problem(415, "the body has to be application/json")
        try:
            inputs = given_inputs(graph, await request.body())
        except ValidationError as error:
            return invalid(error)
        return JSONResponse(await run(graph, inputs, self._roots))

    def _entry(self, info: GraphInfo) -> GraphEntry:
        run = self._path(info.name, info.kind)
        return GraphEntry(name=info.name, kind=info.kind, description=info.description, run=run)

    def _path(self, name: str, kind: str) -> str | None:
        return f"/{name}/run" if kind in RUN_KINDS and not self.is_reserved(name) else None


class _UndeployedRoute(APIRoute):
    """Leaves what was deployed through hayhooks to its own route, which comes later."""

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        match, child = super().matches(scope)
        return (Match.NONE, {}) if is_deployed(child.get("path_params", {}).get("name", "")) else (match, child)
