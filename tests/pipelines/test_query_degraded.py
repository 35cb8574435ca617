"""The default graph over real stores, with a part of it that fails: an answer that says so, and in time."""

import time
from collections.abc import Callable
from pathlib import Path

import pytest

from khub.components.answer import Answer, Degraded
from khub.server.questions.ask import ask
from tests.error_codes import raises_code
from tests.pipelines.conftest import Graph, breaks, parameters

pytestmark = pytest.mark.integration

QUESTION = "How long does the battery of the Ember robot last?"
LIMIT_S = 0.3
MARGIN_S = 2.0  # of a machine that does much else; quiet, it is some milliseconds


def without_embedder(graph: Graph) -> None:
    parameters(graph, "dense")["embedder"] = {
        "type": "khub.components.embedders.text_embedder.TextEmbedder",
        "init_parameters": {"model": "/nowhere/model"},
    }


CASES: dict[str, tuple[Callable[[Graph], None], str, str]] = {
    "dense raises": (breaks("dense"), "dense", "DenseRetriever is down"),
    "sparse raises": (breaks("sparse"), "sparse", "SparseRetriever is down"),
    "ranker raises": (breaks("rank"), "rank", "ScoreRanker is down"),
    "dense hangs": (breaks("dense", "hangs", LIMIT_S), "dense", "no answer in 0.3 s"),
    "sparse hangs": (breaks("sparse", "hangs", LIMIT_S), "sparse", "no answer in 0.3 s"),
    "ranker hangs": (breaks("rank", "hangs", LIMIT_S), "rank", "no answer in 0.3 s"),
    "second ranker hangs": (breaks("rerank", "hangs", LIMIT_S), "rerank", "no answer in 0.3 s"),
    "selection raises": (breaks("select"), "select", "Evidence is down"),
    "filters raise": (breaks("filter"), "filter", "QueryFilters is down"),
    "embedder missing": (without_embedder, "dense", "/nowhere/model"),
}


def asked(graph: str) -> tuple[Answer, float]:
    start = time.monotonic()
    answer = ask(QUESTION, "docs", graph)
    return answer, time.monotonic() - start


def files(answer: Answer) -> set[str]:
    return {Path(citation.source).name for citation in answer.citations}


@pytest.mark.parametrize("case", CASES)
def test_one_part_fails(change: Callable[..., str], case: str) -> None:
    how, stage, reason = CASES[case]
    graph = change("query", how)
    asked(graph)  # loads models and opens stores
    answer, seconds = asked(graph)

    assert [entry.stage for entry in answer.degraded] == [stage]
    assert reason in answer.degraded[0].reason
    assert not answer.abstained
    assert "ember.md" in files(answer)
    assert stage in answer.answer
    assert seconds < LIMIT_S + MARGIN_S
    used = {leg.name: leg.used for leg in answer.legs}
    assert used == {name: name != stage for name in ("dense", "sparse")}


def test_nothing_fails(change: Callable[..., str]) -> None:
    answer, _ = asked(change("query"))

    assert answer.degraded == []
    assert "ember.md" in files(answer)


def test_both_legs_fail(change: Callable[..., str]) -> None:
    def both(data: Graph) -> None:
        breaks("dense")(data)
        breaks("sparse", "hangs", LIMIT_S)(data)

    graph = change("query", both)
    start = time.monotonic()
    with raises_code("retrieval_failed", "DenseRetriever", "0.3 s"):
        ask(QUESTION, "docs", graph)
    assert time.monotonic() - start < LIMIT_S + MARGIN_S


def test_a_leg_that_hangs_does_not_delay_questions_that_do_without_it(change: Callable[..., str]) -> None:
    graph = change("query", breaks("dense", "hangs", LIMIT_S))
    for _ in range(2):
        asked(graph)
    answer, seconds = asked(graph)

    assert answer.degraded == [Degraded("dense", "busy: 2 calls still hang")]
    assert seconds < MARGIN_S
