"""The shipped graph, changed to rank otherwise: by plain reciprocal rank fusion, and by a ranker of Haystack's kind."""

from collections.abc import Callable
from pathlib import Path

import pytest
from haystack import Document, component

from khub.server.questions.ask import ask
from tests.pipelines.conftest import PARTS, Graph, parameters, put_behind, without

pytestmark = pytest.mark.integration


@component
class ByLength:
    """Ranks as a cross-encoder does, by the length of the passage."""

    @component.output_types(documents=list[Document])
    def run(self, query: str, documents: list[Document]) -> dict[str, list[Document]]:
        ranked = sorted(documents, key=lambda document: len(document.content or ""))
        return {"documents": ranked}


def test_plain_fusion_answers_and_keeps_the_joiners_order(change: Callable[..., str]) -> None:
    def fuse(graph: Graph) -> None:
        parameters(graph, "rank")["fusion"] = "rrf"
        without(graph, "rerank")
        without(graph, "select")

    answer = ask("每晚上限是多少？", "docs", change("query", fuse))

    assert Path(answer.citations[0].source).name == "预算.md"
    ranks = [citation.ranks["fusion"] for citation in answer.citations]
    assert ranks == list(range(1, len(ranks) + 1))
    assert answer.degraded == []


def test_another_ranker_goes_behind_the_others(change: Callable[..., str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KHUB_ALLOWED_MODULES", f"{PARTS},{__name__}")
    ranker = {"type": f"{__name__}.ByLength"}

    def by_length(graph: Graph) -> None:
        bounded = {
            "type": "khub.components.rankers.bounded_ranker.BoundedRanker",
            "init_parameters": {"ranker": ranker},
        }
        put_behind(graph, "rerank", "reorder", bounded, "documents")
        graph["connections"].append({"sender": "gloss.question", "receiver": "reorder.question"})
        parameters(graph, "select").clear()

    answer = ask("How long does the battery of the Ember robot last?", "docs", change("query", by_length))
    lengths = [len(citation.text) for citation in answer.citations]

    assert len(set(lengths)) > 1
    assert [citation.ranks["rerank"] for citation in answer.citations] == list(range(1, len(lengths) + 1))
    assert lengths == sorted(lengths)
    assert {"fusion", "late_interaction"} <= set(answer.citations[0].ranks)
    assert answer.degraded == []
