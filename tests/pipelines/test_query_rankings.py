"""The shipped graphs that rank otherwise: by plain reciprocal rank fusion, and by a cross-encoder."""

from collections.abc import Callable
from pathlib import Path

import pytest
import yaml
from haystack import Document, component

from server.ask import ask
from server.graph_examination import examine_graph
from tests.pipelines.conftest import Graph
from tests.server.hub_files import PIPELINES

pytestmark = pytest.mark.integration

CROSS_ENCODER = "SentenceTransformersSimilarityRanker"


@component
class ByLength:
    """Ranks as the cross-encoder does, by the length of the passage."""

    @component.output_types(documents=list[Document])
    def run(self, query: str, documents: list[Document]) -> dict[str, list[Document]]:
        ranked = sorted(documents, key=lambda document: len(document.content or ""))
        return {"documents": ranked}


def of_file(name: str) -> Graph:
    data: Graph = yaml.safe_load((PIPELINES / f"{name}.yaml").read_text(encoding="utf-8"))
    return data


def test_plain_fusion_answers_and_writes_the_rank(change: Callable[..., str]) -> None:
    answer = ask("每晚上限是多少？", "docs", change("query_rrf"))

    assert Path(answer["citations"][0]["source"]).name == "预算.md"
    assert [citation["ranks"]["fusion"] for citation in answer["citations"]] == [
        rank for rank, _ in enumerate(answer["citations"], start=1)
    ]
    assert answer["degraded"] == []


def test_only_the_extra_is_missing_from_the_cross_encoders_graph() -> None:
    problems = examine_graph(PIPELINES / "more" / "query_rerank.yaml")
    for problem in problems:
        assert CROSS_ENCODER.casefold() in problem.message.replace("_", "").casefold() or "packages" in problem.message
        assert problem.remedy == "python -m server.setup install --extras local-models"
    if not problems:
        from server.graphs import load_graph

        ranker = load_graph("more/query_rerank").pipeline.get_component("rerank").component.ranker  # type: ignore[attr-defined]
        assert type(ranker).__name__ == CROSS_ENCODER


def test_the_cross_encoders_place_is_behind_the_other_rankers(
    change: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KHUB_ALLOWED_MODULES", __name__)

    def by_length(components: Graph) -> None:
        bounded = components["rerank"]["init_parameters"]["component"]["init_parameters"]
        assert bounded["candidates"] == bounded["ranker"]["init_parameters"]["top_k"] == 30
        bounded["ranker"] = {"type": f"{__name__}.ByLength", "init_parameters": {}}

    answer = ask("How long does the battery of the Ember robot last?", "docs", change("more/query_rerank", by_length))
    lengths = [len(citation["text"]) for citation in answer["citations"]]

    assert lengths == sorted(lengths)
    assert [citation["ranks"]["rerank"] for citation in answer["citations"]] == list(range(1, len(lengths) + 1))
    assert {"fusion", "late_interaction"} <= set(answer["citations"][0]["ranks"])
    assert answer["degraded"] == []


@pytest.mark.parametrize("name", ["query_rrf", "more/query_rerank", "more/query_llm", "more/ask"])
def test_retrieval_is_that_of_the_default_graph(name: str) -> None:
    default, other = of_file("query"), of_file(name)

    for shared in ("dense", "sparse", "join"):
        assert other["components"][shared] == default["components"][shared]
    assert set(default["inputs"]) <= set(other["inputs"])
