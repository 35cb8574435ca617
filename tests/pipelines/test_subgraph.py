"""A graph that contains the default one: what happens inside is told outside, in time."""

import time
from collections.abc import Callable
from typing import Any

import pytest
from haystack import Pipeline

from khub.components.answer import Answer
from khub.components.guard import Guard
from khub.server.graphs.load import find_graph
from khub.server.questions.ask import ask
from tests.pipelines.conftest import PARTS, Graph, breaks, parameters

pytestmark = pytest.mark.integration

QUESTION = "How long does the battery of the Ember robot last?"
WORDS = "The battery lasts eleven hours [1]."
LIMIT_S = 0.3
MARGIN_S = 2.0  # of a machine that does much else; quiet, it is some milliseconds


@pytest.fixture
def outer(change: Callable[..., str]) -> str:
    """`more/ask` with a language model that always says the same."""

    def how(graph: Graph) -> None:
        stub = {"type": f"{PARTS}.Says", "init_parameters": {"text": WORDS}}
        parameters(graph, "generate")["generator"] = stub

    return change("more/ask", how)


def test_what_fails_and_hangs_inside_is_told_outside_in_time(change: Callable[..., str], outer: str) -> None:
    def break_both(graph: Graph) -> None:
        breaks("dense")(graph)
        breaks("rank", "hangs", LIMIT_S)(graph)

    change("query", break_both)
    ask(QUESTION, "docs", outer)  # loads models and opens stores
    start = time.monotonic()
    answer = ask(QUESTION, "docs", outer)

    assert time.monotonic() - start < LIMIT_S + MARGIN_S
    assert [(entry.stage, entry.reason) for entry in answer.degraded] == [
        ("dense", "ConnectionError: DenseRetriever is down"),
        ("rank", "no answer in 0.3 s"),
    ]
    assert {leg.name: leg.used for leg in answer.legs} == {"dense": False, "sparse": True}
    assert answer.generated
    assert answer.answer.startswith(WORDS)


def test_an_edit_of_the_inner_file_counts_in_the_next_call(change: Callable[..., str], outer: str) -> None:
    before = ask(QUESTION, "docs", outer)
    change("query", lambda graph: parameters(graph, "answer").update(top_k=1))
    after = ask(QUESTION, "docs", outer)

    assert len(before.citations) > len(after.citations) == 1
    assert before.degraded == after.degraded == []


def plainly(name: str) -> Answer:
    with find_graph(name).open(encoding="utf-8") as file:
        pipeline = Pipeline.load(file, allowed_modules=["khub.components.*", PARTS])
    inner = pipeline.get_component("search").pipeline  # type: ignore[attr-defined]
    assert not any(isinstance(part, Guard) for _, part in inner.walk())
    inputs = {"search": {"collection": "docs"}, "standalone": {"query": QUESTION}}
    answer: dict[str, Any] = pipeline.run(inputs)["generate"]["answer"]
    return answer


def test_plain_haystack_loads_and_runs_both_without_guards(change: Callable[..., str], outer: str) -> None:
    guarded = ask(QUESTION, "docs", outer)
    answer = plainly(outer)

    assert answer.answer.startswith(WORDS)
    assert answer.citations == guarded.citations != []
    assert answer.degraded == []


def test_in_plain_haystack_a_stage_that_fails_fails_the_run(change: Callable[..., str], outer: str) -> None:
    change("query", lambda graph: parameters(graph, "rerank").update(model="/nowhere/model"))
    with pytest.raises(Exception, match="/nowhere/model"):
        plainly(outer)
    assert [entry.stage for entry in ask(QUESTION, "docs", outer).degraded] == ["rerank"]
