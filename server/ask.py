"""Ask a collection a question through a graph."""

from typing import Any

from components.catalog.catalog import open_catalog
from components.errors import GraphError
from components.retrievers.leg_report import LEGS
from server.graphs import load_graph
from server.healing import heal_in_background
from server.run_graph import run_graph


def ask(
    query: str,
    collection: str | None = None,
    graph_name: str = "query",
    top_k: int | None = None,
    filters: dict[str, Any] | None = None,
    legs: list[str] | None = None,
    heal: bool = False,
) -> dict[str, Any]:
    """Return a cited answer, as JSON can hold it.

    :param query: the question.
    :param collection: its name; the only one, or `default`, if None.
    :param graph_name: graph of kind `query`.
    :param top_k: number of citations; None for the graph's own.
    :param filters: a Haystack metadata filter.
    :param legs: `dense`, `sparse`, or None for both.
    :param heal: rebuild a lost index in the background; for processes that live on.
    :returns: the graph's answer, with `graph`, `trace_id` and `timings_ms`.
    :raises KhubError: naming what is wrong with the question, the collection, the filter or the graph.
    """
    graph = load_graph(graph_name)
    if graph.kind != "query":
        raise GraphError(f"graph {graph_name!r} is of kind {graph.kind!r}", "name a graph of kind 'query'")
    name = open_catalog().collections.resolve(collection)
    given = {"query": query, "collection": name, "top_k": top_k, "filters": filters, "legs": legs}
    result = run_graph(graph, {key: value for key, value in given.items() if value is not None})
    answer = result.outputs["answer"]
    if heal and any(entry["stage"] in LEGS for entry in answer["degraded"]):
        heal_in_background(name)
    return {**answer, "graph": graph.name, "trace_id": result.trace_id, "timings_ms": result.timings_ms}
