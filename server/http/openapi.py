"""The OpenAPI document of the service, with a request for each graph."""

from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi

from khub.server.graphs.load import Graph, list_graphs
from khub.server.http.documented import problems
from khub.server.http.graph_request import request_model
from khub.server.http.graph_routes import GraphRoutes
from khub.server.http.route_access import READS, WRITES, X_ACCESS, access_word
from khub.server.http.served_graphs import RUN_KINDS, ServedGraphs
from khub.server.http.value_schemas import GIVEN, reference, value_schemas

WRONG_FIELD = {
    "type": "object",
    "properties": {"field": {"type": "string"}, "error": {"type": "string"}},
    "required": ["field", "error"],
}
PROBLEM = {
    "type": "object",
    "properties": {
        "type": {"type": "string"}, "title": {"type": "string"}, "status": {"type": "integer"},
        "detail": {"type": "string"}, "code": {"type": "string"}, "remedy": {"type": "string"},
        "errors": {"type": "array", "items": WRONG_FIELD},
    },
    "required": ["type", "title", "status", "code", "detail"],
}  # fmt: skip


def openapi(app: FastAPI, graphs: ServedGraphs, routes: GraphRoutes, root_path: str = "") -> dict[str, Any]:
    """Return the document; graphs that cannot be used are left out.

    :param app: whose other routes are described.
    :param graphs: that are served.
    :param routes: that know which of them can be run.
    :param root_path: what a proxy puts before all paths.
    """
    document = routes_document(app)
    paths = document["paths"]
    for info in list_graphs():
        if info.kind in RUN_KINDS and not routes.is_reserved(info.name):
            graph, _ = graphs.seen(info.name)
            if graph is not None:
                paths[f"/{info.name}/run"] = {"post": _operation(graph, info.description)}
    components = document.setdefault("components", {})
    components["schemas"] = {**components.get("schemas", {}), **value_schemas(), "Problem": PROBLEM}
    components["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
    if root_path:
        document["servers"] = [{"url": root_path}]
    return {**document, "paths": paths, "security": [{}, {"token": []}]}


def routes_document(app: FastAPI) -> dict[str, Any]:
    """Return the document without the graphs."""
    document = get_openapi(title=app.title, version=app.version, description=app.description, routes=app.routes)
    for path in document["paths"].values():
        for method, operation in path.items():
            operation[X_ACCESS] = access_word(method, operation)
    return document


def _operation(graph: Graph, description: str) -> dict[str, Any]:
    given = reference(GIVEN[graph.kind]) if graph.kind in GIVEN else {"type": "object"}
    return {
        "tags": [graph.kind],
        "summary": f"Run {graph.name}",
        "description": description,
        "operationId": f"run_{graph.name}",
        **(WRITES if graph.kind == "ingest" else READS),
        "requestBody": {
            "required": True,
            "content": {"application/json": {"schema": request_model(graph).model_json_schema()}},
        },
        "responses": {
            "200": {"description": "Done.", "content": {"application/json": {"schema": given}}},
            **{str(status): about for status, about in problems(400, 404, 409, 415).items()},
        },
    }
