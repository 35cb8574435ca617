"""Ask a collection, or all of them, a question through a graph."""

import asyncio
from dataclasses import replace
from typing import Any

from khub.components.answer import Answer
from khub.components.catalog.catalog import open_catalog
from khub.components.errors import CollectionError, GraphKindError
from khub.components.query.query_analyzer import clean_query
from khub.components.query.small_talk import small_talk
from khub.components.question import LEGS
from khub.server.graphs.load import Graph, as_graph
from khub.server.graphs.run import RunResult, run_graph, run_graph_async
from khub.server.questions.every_collection import EveryCollection
from khub.server.questions.given_value import given_value
from khub.server.traces.together import running_together


def ask(
    query: str,
    collection: str | None = None,
    graph_name: str | Graph = "query",
    top_k: int | None = None,
    filters: dict[str, Any] | None = None,
    legs: list[str] | None = None,
    heal: bool = False,
    more: dict[str, Any] | None = None,
) -> Answer:
    """Return a cited answer.

    :param query: the question.
    :param collection: its name; None for all that the caller may read, see `merged`. A graph that puts its answer into
        words is put to the one of them whose passages answer best.
    :param graph_name: graph of kind `query`, by its name or as it is loaded.
    :param top_k: number of citations; None for the graph's own.
    :param filters: a Haystack metadata filter.
    :param legs: `dense`, `sparse`, or None for both.
    :param heal: rebuild a lost index in the background; for processes that live on.
    :param more: what else the graph declares as inputs.
    :raises KhubError: naming what is wrong with the question, the collection, the filter or the graph.
    """
    if every := _every(query, collection, graph_name, top_k, more):
        with running_together():
            found = every.ask(lambda name: ask(every.query, name, every.graph, top_k, filters, legs, heal, every.more))
            if every.gives_answer:
                return found
            answer = ask(query, found.collection, graph_name, top_k, filters, legs, heal, more)
        return replace(answer, collections=found.collections)
    graph, name, inputs = _prepared(query, collection, graph_name, top_k, filters, legs, more)
    return _answer(graph, name, run_graph(graph, inputs), heal)


async def ask_async(
    query: str,
    collection: str | None = None,
    graph_name: str | Graph = "query",
    top_k: int | None = None,
    filters: dict[str, Any] | None = None,
    legs: list[str] | None = None,
    heal: bool = False,
    more: dict[str, Any] | None = None,
) -> Answer:
    """Do what `ask` does without blocking the caller's event loop; cancelling the caller's task stops the run.

    :param query: the question.
    :param collection: its name; None for all that the caller may read.
    :param graph_name: graph of kind `query`, by its name or as it is loaded.
    :param top_k: number of citations; None for the graph's own.
    :param filters: a Haystack metadata filter.
    :param legs: `dense`, `sparse`, or None for both.
    :param heal: rebuild a lost index in the background; for processes that live on.
    :param more: what else the graph declares as inputs.
    :raises KhubError: as `ask` does.
    """
    if every := await asyncio.to_thread(_every, query, collection, graph_name, top_k, more):
        with running_together():
            found = await every.ask_async(
                lambda name: ask_async(every.query, name, every.graph, top_k, filters, legs, heal, every.more)
            )
            if every.gives_answer:
                return found
            answer = await ask_async(query, found.collection, graph_name, top_k, filters, legs, heal, more)
        return replace(answer, collections=found.collections)
    prepared = await asyncio.to_thread(_prepared, query, collection, graph_name, top_k, filters, legs, more)
    graph, name, inputs = prepared
    return _answer(graph, name, await run_graph_async(graph, inputs), heal)


def _every(
    query: str, collection: str | None, graph_name: str | Graph, top_k: int | None, more: dict[str, Any] | None
) -> EveryCollection | None:
    """Return what asks all collections; None where one is named, there is one alone, or nothing would be searched."""
    names = [] if collection is not None else open_catalog().opened_collections.names()
    if len(names) < 2 or small_talk(clean_query(query)):
        return None
    return EveryCollection.of(names, query, _query_graph(graph_name), top_k, more or {})


def _prepared(
    query: str,
    collection: str | None,
    graph_name: str | Graph,
    top_k: int | None,
    filters: dict[str, Any] | None,
    legs: list[str] | None,
    more: dict[str, Any] | None,
) -> tuple[Graph, str | None, dict[str, Any]]:
    """Return the graph, the collection and what goes into the graph."""
    graph = _query_graph(graph_name)
    name = _collection(query, collection)
    given = {**(more or {}), "query": query, "collection": name, "top_k": top_k, "filters": filters, "legs": legs}
    return graph, name, {key: value for key, value in given.items() if value is not None}


def _query_graph(graph_name: str | Graph) -> Graph:
    graph = as_graph(graph_name)
    if graph.kind != "query":
        raise GraphKindError(f"graph {graph.name!r} is of kind {graph.kind!r}", "name a graph of kind 'query'")
    return graph


def _collection(query: str, named: str | None) -> str | None:
    """Return the collection to search; None for small talk, which searches nothing, where one would have to be named.

    :raises CollectionError: when there is none, none of that name, or several and none is named.
    """
    collections = open_catalog().opened_collections
    try:
        return collections.resolve(named)
    except CollectionError:
        if named is None and collections.names() and small_talk(clean_query(query)):
            return None
        raise


def _answer(graph: Graph, collection: str | None, result: RunResult, heal: bool) -> Answer:
    answer = given_value(Answer, graph, "answer", result.outputs.get("answer"))
    if heal and collection is not None and any(entry.stage in LEGS for entry in answer.degraded):
        from khub.server.library.healing import (
            heal_in_background,  # it knows all that writes: a question needs none of it
        )

        heal_in_background(collection)
    return replace(
        answer,
        graph=graph.name,
        trace_id=result.trace_id,
        timings_ms=result.timings_ms,
        searched=result.outputs.get("searched") or answer.searched,
    )
