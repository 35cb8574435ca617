"""A query graph, asked for its ranking as well as for its answer."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from khub.components.answer import Answer
from khub.components.answers.fixed_order import in_fixed_order
from khub.components.errors import BindingError, CollectionError, GraphError, GraphKindError, KhubError
from khub.components.value import as_json
from khub.eval.retrieve.ranked_answer import RankedAnswer
from khub.eval.run.fingerprints import graph_hash
from khub.eval.run.throw_away_collection import NAME, ThrowAwayCollection
from khub.server.graphs.load import Graph, load_graph
from khub.server.graphs.run import run_graph
from khub.server.questions.given_value import given_value

RANKED = "evaluated_ranking"
BEFORE_ANSWER = "before the answer"
CITATIONS = "citations"


@dataclass(frozen=True)
class Ranking:
    """A query graph with the documents that reach its answer as one more output; nothing else of it is changed.

    An answer that abstains cites nothing, so that citations alone would mix two things: how well the graph ranks, and
    how often it holds its ranking back.

    :param name: the graph's name.
    :param graph: the graph with the further output.
    :param source: `before the answer`, or `citations` where the graph has no single list of documents before it.
    :param digest: names the content of its file.
    """

    name: str
    graph: Graph
    source: str
    digest: str

    def ask(
        self,
        text: str,
        collection: ThrowAwayCollection,
        legs: list[str] | None,
        top_k: int,
        filters: dict[str, Any] | None = None,
    ) -> RankedAnswer:
        """Ask one question; the home of the collection has to be in use.

        :param filters: a Haystack filter, for a graph that has the input `filters`.
        :returns: `{ranked: [[source, page]], cited: [[source, page]], abstained, degraded: [stage], seconds}`, or
            `{error}` where this question failed. After a passage come the places of those that were merged into it.
        :raises KhubError: what would fail any other question as well.
        """
        inputs: dict[str, Any] = {"query": text, "collection": NAME}
        if legs is not None:
            inputs["legs"] = legs
        if filters is not None:
            inputs["filters"] = filters
        if "top_k" in self.graph.inputs:
            inputs["top_k"] = top_k
        started = time.perf_counter()
        try:
            outputs = run_graph(self.graph, inputs).outputs
        except (BindingError, CollectionError):
            raise
        except KhubError as error:
            return {"error": str(error)}
        seconds = round(time.perf_counter() - started, 4)
        answer = given_value(Answer, self.graph, "answer", outputs["answer"])
        cited = ranked = _places(as_json(answer.citations), collection)
        if self.source == BEFORE_ANSWER:
            ranked = _places([d.meta for d in in_fixed_order(outputs[RANKED] or [])], collection)
        stages = [entry.stage for entry in answer.degraded]
        return {
            "ranked": ranked, "cited": cited, "abstained": answer.abstained, "degraded": stages, "seconds": seconds
        }  # fmt: skip

    def check_legs(self) -> None:
        """Refuse a graph that cannot be asked for one leg alone.

        :raises GraphError: naming it.
        """
        if "legs" not in self.graph.inputs:
            raise GraphError(
                f"graph {self.name!r} has no input 'legs'", "measure it as it is: --legs both", code="graph_input_wrong"
            )


def load_ranking(name: str) -> Ranking:
    """Load a query graph for its ranking.

    :param name: graph of kind `query`.
    :raises GraphError: if the graph cannot be used.
    """
    graph = load_graph(name)
    if graph.kind != "query" or "answer" not in graph.outputs:
        raise GraphKindError(f"graph {name!r} is of kind {graph.kind!r}", "name a graph of kind 'query'")
    socket = _ranked_socket(graph)
    if socket is None:
        return Ranking(name, graph, CITATIONS, graph_hash(graph))
    more = replace(graph, outputs={**graph.outputs, RANKED: socket})
    return Ranking(name, more, BEFORE_ANSWER, graph_hash(graph))


def _ranked_socket(graph: Graph) -> str | None:
    """Return the socket that feeds `documents` of the component which answers; None if it is not exactly one."""
    answering = graph.outputs["answer"].partition(".")[0]
    edges = graph.pipeline.graph.in_edges(answering, data=True)
    senders = [f"{sender}.{d['from_socket'].name}" for sender, _, d in edges if d["to_socket"].name == "documents"]
    return senders[0] if len(senders) == 1 else None


def _places(passages: Sequence[Mapping[str, Any]], collection: ThrowAwayCollection) -> list[list[Any]]:
    places = [place for passage in passages for place in (passage, *(passage.get("also_in") or []))]
    return [[collection.relative(str(place.get("source"))), place.get("page")] for place in places]


def without_ranking(results: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return what is to be said of graphs whose ranking cannot be seen.

    :param results: each with its `graph` and the `source` of its ranking.
    """
    names = sorted({result["graph"] for result in results if result["source"] == CITATIONS})
    said = (
        f"No single list of documents reaches the answer of {', '.join(names)}: there, the ranking is what was cited, "
        "and abstaining hides it."
    )
    return [said] if names else []
