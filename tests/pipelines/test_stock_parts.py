"""Haystack's own parts in the default graph: they know no `Question` and no `Leg`."""

import uuid
from collections.abc import Callable
from pathlib import Path

import pytest
from haystack.document_stores.in_memory import InMemoryDocumentStore

from khub.components.answer import Answer
from khub.components.catalog.catalog import open_catalog
from khub.server.graphs.examination import examine_graph
from khub.server.graphs.load import find_graph
from khub.server.questions.ask import ask
from tests.pipelines.conftest import Graph, parameters, without

pytestmark = pytest.mark.integration

QUESTION = "How long does the battery of the Ember robot last?"


@pytest.fixture
def stock(change: Callable[..., str]) -> Callable[[Graph], None]:
    """A change: one retriever of Haystack's stands where both legs were, over the same chunks."""
    index = f"stock-{uuid.uuid4()}"
    store = InMemoryDocumentStore(index=index)
    store.write_documents(list(open_catalog().chunks.visible("docs")))

    def how(graph: Graph) -> None:
        legs = ("dense.", "sparse.")
        for leg in ("dense", "sparse"):
            del graph["components"][leg]
        graph["connections"] = [
            one
            for one in graph["connections"]
            if not (one["sender"].startswith(legs) or one["receiver"].startswith(legs))
        ]
        graph["components"]["words"] = {
            "type": "haystack.components.retrievers.in_memory.bm25_retriever.InMemoryBM25Retriever",
            "init_parameters": {
                "document_store": {
                    "type": "haystack.document_stores.in_memory.document_store.InMemoryDocumentStore",
                    "init_parameters": {"index": index},
                }
            },
        }
        graph["connections"] += [
            {"sender": "analyze.query", "receiver": "words.query"},
            {"sender": "analyze.filters", "receiver": "words.filters"},
            {"sender": "words.documents", "receiver": "join.documents"},
        ]

    return how


def files(answer: Answer) -> list[str]:
    return [Path(citation.source).name for citation in answer.citations]


def test_a_retriever_of_haystacks_finds_and_the_answer_cites(
    change: Callable[..., str], stock: Callable[[Graph], None]
) -> None:
    name = change("query", stock)

    assert examine_graph(find_graph(name)) == []
    answer = ask(QUESTION, "docs", name)
    assert files(answer)[0] == "ember.md"
    assert "eleven hours" in answer.citations[0].text
    assert not answer.abstained
    assert (answer.legs, answer.degraded) == ([], [])
    recall = {"field": "meta.title", "operator": "==", "value": "Ember recall"}
    assert set(files(ask(QUESTION, "docs", name, filters=recall))) == {"evil.md"}


def test_without_a_leg_the_score_of_the_joiner_ranks(
    change: Callable[..., str], stock: Callable[[Graph], None]
) -> None:
    def how(graph: Graph) -> None:
        stock(graph)
        for link in ("rerank", "select"):
            without(graph, link)
        graph["components"]["join"]["init_parameters"] = {"join_mode": "concatenate"}  # it keeps the retriever's score
        parameters(graph, "rank")["coordination_weight"] = 0

    citations = ask(QUESTION, "docs", change("query", how)).citations
    scores = [citation.score for citation in citations]

    assert len(set(scores)) == len(scores) > 1
    assert (scores[0], scores) == (1.0, sorted(scores, reverse=True))
    assert [citation.ranks for citation in citations] == [
        {"fusion": place, "rerank": place} for place in range(1, len(citations) + 1)
    ]
