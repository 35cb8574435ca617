"""Check what a text claims against a collection."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from khub.components.catalog.catalog import open_catalog
from khub.components.errors import GraphKindError
from khub.components.verification import Verification
from khub.server.graphs.load import Graph, as_graph
from khub.server.graphs.run import RunResult, run_graph, run_graph_async
from khub.server.questions.given_value import given_value
from khub.server.reads.listed import filter_notes


def verify(
    answer: str | Sequence[str],
    collection: str | None = None,
    graph_name: str | Graph = "verify",
    filters: dict[str, Any] | None = None,
    legs: Sequence[str] | None = None,
    more: dict[str, Any] | None = None,
) -> Verification:
    """Return a verdict on each claim.

    :param answer: a text, which is taken apart into claims; or a list of claims, which are taken as they are.
    :param collection: its name; the only one, or `default`, if None.
    :param graph_name: graph of kind `verify`, by its name or as it is loaded.
    :param filters: a Haystack metadata filter: only these passages count.
    :param legs: `dense`, `sparse`, or None for both.
    :param more: what else the graph declares as inputs.
    :raises KhubError: naming what is wrong with the text, the collection, the filter or the graph.
    """
    graph, inputs = _prepared(answer, collection, graph_name, filters, legs, more)
    return _verification(graph, inputs, run_graph(graph, inputs))


async def verify_async(
    answer: str | Sequence[str],
    collection: str | None = None,
    graph_name: str | Graph = "verify",
    filters: dict[str, Any] | None = None,
    legs: Sequence[str] | None = None,
    more: dict[str, Any] | None = None,
) -> Verification:
    """Do what `verify` does without blocking the caller's event loop.

    Cancelling the caller's task stops the run before its next claim.

    :param answer: a text, which is taken apart into claims; or a list of claims, which are taken as they are.
    :param collection: its name; the only one, or `default`, if None.
    :param graph_name: graph of kind `verify`, by its name or as it is loaded.
    :param filters: a Haystack metadata filter: only these passages count.
    :param legs: `dense`, `sparse`, or None for both.
    :param more: what else the graph declares as inputs.
    :raises KhubError: as `verify` does.
    """
    graph, inputs = await asyncio.to_thread(_prepared, answer, collection, graph_name, filters, legs, more)
    return _verification(graph, inputs, await run_graph_async(graph, inputs))


def _prepared(
    answer: str | Sequence[str],
    collection: str | None,
    graph_name: str | Graph,
    filters: dict[str, Any] | None,
    legs: Sequence[str] | None,
    more: dict[str, Any] | None,
) -> tuple[Graph, dict[str, Any]]:
    graph = as_graph(graph_name)
    if graph.kind != "verify":
        raise GraphKindError(f"graph {graph.name!r} is of kind {graph.kind!r}", "name a graph of kind 'verify'")
    name = open_catalog().opened_collections.resolve(collection)
    claims: dict[str, Any] = {"text": answer} if isinstance(answer, str) else {"claims": list(answer)}
    given = {
        **(more or {}),
        **claims,
        "collection": name,
        "filters": filters,
        "legs": list(legs) if legs is not None else None,
    }
    return graph, {key: value for key, value in given.items() if value is not None}


def _verification(graph: Graph, inputs: dict[str, Any], result: RunResult) -> Verification:
    verification = given_value(Verification, graph, "verification", result.outputs.get("verification"))
    return replace(
        verification,
        graph=graph.name,
        trace_id=result.trace_id,
        timings_ms=result.timings_ms,
        notes=filter_notes(inputs["collection"], inputs.get("filters")),
    )
