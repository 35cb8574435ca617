"""The parts of the query side together, wired in YAML around legs that need no store."""

import asyncio
import json
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from haystack import Document, Pipeline, component
from haystack.core.errors import PipelineRuntimeError

from components.errors import FilterError, QueryError, RetrievalError

pytestmark = pytest.mark.unit

release = threading.Event()
other_leg_done = threading.Event()

GRAPH = f"""
components:
  understand: {{type: components.query.query_analyzer.QueryAnalyzer, init_parameters: {{}}}}
  dense:
    type: components.guard.Guard
    init_parameters:
      stage: dense
      timeout_s: 5
      component: {{type: {__name__}.FakeLeg, init_parameters: {{name: dense, behaviour: DENSE}}}}
  sparse:
    type: components.guard.Guard
    init_parameters:
      stage: sparse
      timeout_s: 5
      component: {{type: {__name__}.FakeLeg, init_parameters: {{name: sparse, behaviour: SPARSE}}}}
  joiner:
    type: haystack.components.joiners.document_joiner.DocumentJoiner
    init_parameters: {{join_mode: reciprocal_rank_fusion}}
  rank:
    type: components.guard.Guard
    init_parameters:
      stage: rank
      timeout_s: RANK_TIMEOUT
      fallback: {{documents: documents}}
      component: RANKER
  answer: {{type: components.answers.answer_builder.AnswerBuilder, init_parameters: {{}}}}
connections:
  - {{sender: understand.query, receiver: dense.query}}
  - {{sender: understand.query, receiver: sparse.query}}
  - {{sender: dense.documents, receiver: joiner.documents}}
  - {{sender: sparse.documents, receiver: joiner.documents}}
  - {{sender: joiner.documents, receiver: rank.documents}}
  - {{sender: dense.documents, receiver: rank.dense_documents}}
  - {{sender: sparse.documents, receiver: rank.sparse_documents}}
  - {{sender: dense.leg, receiver: rank.dense_leg}}
  - {{sender: understand.query, receiver: answer.query}}
  - {{sender: rank.documents, receiver: answer.documents}}
  - {{sender: dense.degraded, receiver: answer.degraded}}
  - {{sender: sparse.degraded, receiver: answer.degraded}}
  - {{sender: rank.degraded, receiver: answer.degraded}}
  - {{sender: dense.leg, receiver: answer.legs}}
  - {{sender: sparse.leg, receiver: answer.legs}}
"""
RANKER = "{type: components.rankers.score_ranker.ScoreRanker, init_parameters: {}}"
FOUND = {
    "dense": [("budget", 0.8), ("hotel", 0.6), ("food", 0.1)],
    "sparse": [("budget", 9.0), ("train", 6.0)],
}


@component
class FakeLeg:
    """Finds its fixed passages; `last` answers after the other leg has."""

    def __init__(self, name: str, behaviour: str = "answers") -> None:
        self.name = name
        self.behaviour = behaviour

    @component.output_types(documents=list[Document], leg=dict)
    def run(self, query: str) -> dict[str, Any]:
        if self.behaviour == "raises":
            raise ConnectionError(f"{self.name} is down")
        if self.behaviour == "refuses":
            raise FilterError("The filter 'x' does not parse", "write field == value")
        if self.behaviour == "last":
            other_leg_done.wait(0.3)  # in vain where legs run one after the other
        documents = [
            Document(id=id_, content=f"{query} {id_}", meta={"source": f"/{id_}.md", "from": self.name}, score=score)
            for id_, score in FOUND[self.name]
        ]
        if self.behaviour == "answers":
            other_leg_done.set()
        leg = {"name": self.name, "used": True, "hits": len(documents), "reason": "", "coverage": 1.0}
        return {"documents": documents, "leg": leg}


@component
class HangingRanker:
    @component.output_types(documents=list[Document])
    def run(
        self,
        documents: list[Document],
        dense_documents: list[Document],
        sparse_documents: list[Document],
        dense_leg: dict | None = None,
    ) -> dict[str, Any]:
        release.wait(20)
        return {"documents": documents}


@pytest.fixture(autouse=True)
def _nothing_hangs_after_a_test() -> Iterator[None]:
    release.clear()
    other_leg_done.clear()
    yield
    release.set()


Ask = Callable[..., dict[str, Any]]


@pytest.fixture(params=["run", "run_async"])
def ask(request: pytest.FixtureRequest) -> Ask:
    def ask_graph(
        query: str = "travel", dense: str = "answers", sparse: str = "answers", ranker: str = RANKER, limit: float = 5
    ) -> dict[str, Any]:
        text = GRAPH.replace("DENSE", dense).replace("SPARSE", sparse).replace("RANKER", ranker)
        allowed = ["components.*", "haystack.*", __name__]
        pipeline = Pipeline.loads(text.replace("RANK_TIMEOUT", str(limit)), allowed_modules=allowed)
        pipeline = Pipeline.loads(pipeline.dumps(), allowed_modules=allowed)
        pipeline.get_component("rank").timeout_s = limit
        data = {"understand": {"query": query}, "answer": {"collection": "plans", "top_k": 4}}
        result = pipeline.run(data) if request.param == "run" else asyncio.run(pipeline.run_async(data))
        json.dumps(result["answer"]["answer"], allow_nan=False)
        return result["answer"]["answer"]

    return ask_graph


def ids(answer: dict[str, Any]) -> list[str]:
    return [citation["chunk_id"] for citation in answer["citations"]]


def test_both_legs_answer(ask: Ask) -> None:
    answer = ask()

    assert ids(answer) == ["budget", "train", "hotel", "food"]
    assert answer["citations"][0]["ranks"] == {"dense": 1, "sparse": 1, "fusion": 1, "rerank": 1}
    assert [leg["name"] for leg in answer["legs"]] == ["dense", "sparse"]
    assert answer["degraded"] == []
    assert answer["collection"] == "plans"
    assert not answer["abstained"]


def test_the_answer_does_not_depend_on_which_leg_is_last(ask: Ask) -> None:
    assert ask(sparse="last") == ask(dense="last") == ask()


@pytest.mark.parametrize(
    ("failing", "expected"), [("dense", ["budget", "train"]), ("sparse", ["budget", "hotel", "food"])]
)
def test_one_leg_raises(ask: Ask, failing: str, expected: list[str]) -> None:
    answer = ask(**{failing: "raises"})
    reason = f"ConnectionError: {failing} is down"

    assert ids(answer) == expected
    assert answer["degraded"] == [{"stage": failing, "reason": reason}]
    assert [leg["name"] for leg in answer["legs"]] == ["dense", "sparse"]
    assert {"name": failing, "used": False, "hits": 0, "reason": reason} in answer["legs"]
    assert reason in answer["answer"]


def test_both_legs_raise(ask: Ask) -> None:
    with pytest.raises(PipelineRuntimeError) as caught:
        ask(dense="raises", sparse="raises")

    assert isinstance(caught.value.__cause__, RetrievalError)
    assert "dense is down" in str(caught.value.__cause__)
    assert "sparse is down" in str(caught.value.__cause__)


def test_the_ranker_hangs(ask: Ask) -> None:
    start = time.monotonic()
    answer = ask(ranker=f"{{type: {__name__}.HangingRanker, init_parameters: {{}}}}", limit=0.05)

    assert time.monotonic() - start < 10
    assert ids(answer) == ["budget", "hotel", "train", "food"]
    assert answer["citations"][0]["ranks"] == {"fusion": 1}
    assert answer["degraded"] == [{"stage": "rank", "reason": "no answer in 0.05 s"}]
    assert not answer["abstained"]


@pytest.mark.parametrize(("inputs", "error"), [({"query": "?"}, QueryError), ({"dense": "refuses"}, FilterError)])
def test_mistakes_of_the_caller_come_through(ask: Ask, inputs: dict[str, str], error: type[Exception]) -> None:
    with pytest.raises(PipelineRuntimeError) as caught:
        ask(**inputs)

    assert isinstance(caught.value.__cause__, error)
