"""The shipped graph of evaluators, run as any other graph is."""

import asyncio
from math import log2

import pytest
from haystack import Pipeline

from tests.server.hub_files import PIPELINES

pytestmark = pytest.mark.integration


@pytest.fixture
def graph():
    return Pipeline.loads(
        (PIPELINES / "evaluate.yaml").read_text(encoding="utf-8"), allowed_modules=["khub.eval.evaluators.*"]
    )


@pytest.fixture
def inputs(case, place, answer, cite, broken):
    cases = [case(place("heron")), case(place("limit", page=2)), case(), case(place("code"))]
    answers = [answer(cite("other"), cite("heron")), answer(cite("limit", page=3)), answer(), broken]
    names = ("retrieval", "pages", "abstention", "operation")
    return {name: {"cases": cases, "answers": answers} for name in names}


def test_every_metric_is_there(graph, inputs):
    table = graph.run(inputs)["table"]
    assert table["scores"] == {
        "hit@1": [0, 1, None, None],
        "hit@5": [1, 1, None, None],
        "hit@10": [1, 1, None, None],
        "recall@10": [1, 1, None, None],
        "mrr@10": [0.5, 1, None, None],
        "ndcg@10": [pytest.approx(1 / log2(3)), 1, None, None],
        "page_accuracy": [1, 0, None, None],
        "abstained_right": [None, None, 1, None],
        "abstained_wrong": [0, 0, None, None],
        "latency_ms": [250, 250, 250, None],
        "degraded": [0, 0, 0, None],
        "failed": [0, 0, 0, 1],
    }
    assert {entry["metric"] for entry in table["failed"]} == set(table["scores"]) - {"abstained_right", "failed"}


def test_run_async_gives_the_same(graph, inputs):
    assert asyncio.run(graph.run_async(inputs)) == graph.run(inputs)
