"""Check what a text claims against a collection."""

from collections.abc import Sequence
from typing import Any

from components.catalog.catalog import open_catalog
from components.errors import GraphError
from server.graphs import load_graph
from server.run_graph import run_graph


def verify(
    answer: str | Sequence[str],
    collection: str | None = None,
    graph_name: str = "verify",
    filters: dict[str, Any] | None = None,
    legs: Sequence[str] | None = None,
) -> dict[str, Any]:
    """Return a verdict on each claim, as JSON can hold it.

    :param answer: a text, which is taken apart into claims; or a list of claims, which are taken as they are.
    :param collection: its name; the only one, or `default`, if None.
    :param graph_name: graph of kind `verify`.
    :param filters: a Haystack metadata filter: only these passages count.
    :param legs: `dense`, `sparse`, or None for both.
    :returns: `claims` (`claim`, `verdict`: `supported`, `contradicted` or `not_found`, `confidence`, `reason`,
        `citations`, `facts`, `by`), `summary` (verdict -> number of claims), `collection`, `legs`, `degraded`, `graph`,
        `trace_id` and `timings_ms`.
    :raises KhubError: naming what is wrong with the text, the collection, the filter or the graph.
    """
    graph = load_graph(graph_name)
    if graph.kind != "verify":
        raise GraphError(f"graph {graph_name!r} is of kind {graph.kind!r}", "name a graph of kind 'verify'")
    name = open_catalog().collections.resolve(collection)
    claims: dict[str, Any] = {"text": answer} if isinstance(answer, str) else {"claims": list(answer)}
    given = {**claims, "collection": name, "filters": filters, "legs": list(legs) if legs is not None else None}
    result = run_graph(graph, {key: value for key, value in given.items() if value is not None})
    verification = result.outputs["verification"]
    return {**verification, "graph": graph.name, "trace_id": result.trace_id, "timings_ms": result.timings_ms}
