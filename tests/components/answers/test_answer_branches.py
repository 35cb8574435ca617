"""The answer of a graph that parts questions from chat: the branch not taken does not run."""

import asyncio
from typing import Any

import pytest
from haystack import Document, Pipeline, component
from haystack.components.joiners import DocumentJoiner

from components.answers.answer_builder import AnswerBuilder
from components.answers.evidence import Evidence

pytestmark = pytest.mark.unit

SEARCHED: list[str] = []


@component
class Route:
    """Hands the query on, or a reply, with sockets as those of `IntentRouter` and `QueryFilters`."""

    @component.output_types(
        query=str,
        chat=str,
        intent=dict,
        sides=list[str],
        degraded=list[dict],
        applied=list[dict],
        preferences=list[dict],
    )
    def run(self, query: str) -> dict[str, Any]:
        name = "chat" if query == "hello" else "search"
        branch = {"chat": "Hello. Ask me."} if name == "chat" else {"query": query}
        degraded = [{"stage": "route", "reason": "the model is away"}]
        return {
            **branch,
            "intent": {"name": name, "confidence": 0.8, "by": "rules"},
            "sides": [],
            "degraded": degraded,
            "applied": [],
            "preferences": [],
        }


@component
class Leg:
    """Finds one passage."""

    def __init__(self, name: str) -> None:
        self.name = name

    @component.output_types(documents=list[Document], leg=dict, degraded=list[dict])
    def run(self, query: str, collection: str | None = None) -> dict[str, Any]:
        SEARCHED.append(self.name)
        leg = {"name": self.name, "used": True, "hits": 1, "reason": ""}
        found = [Document(id=self.name, content=f"{query} by {self.name}.", score=0.9, meta={"source": "a.md"})]
        return {"documents": found, "leg": leg, "degraded": []}


@pytest.fixture(params=["run", "run_async"])
def ask(request: pytest.FixtureRequest):
    graph = Pipeline()
    graph.add_component("route", Route())
    graph.add_component("join", DocumentJoiner(join_mode="reciprocal_rank_fusion"))
    graph.add_component("evidence", Evidence())
    graph.add_component("answer", AnswerBuilder())
    for name in ("dense", "sparse"):
        graph.add_component(name, Leg(name))
        graph.connect("route.query", f"{name}.query")
        graph.connect(f"{name}.documents", "join.documents")
        graph.connect(f"{name}.leg", "answer.legs")
        graph.connect(f"{name}.degraded", "answer.degraded")
    for sender, receiver in {
        "join.documents": "evidence.documents",
        "route.sides": "evidence.sides",
        "evidence.documents": "answer.documents",
        "route.preferences": "evidence.preferences",
        "route.applied": "answer.applied",
        "route.chat": "answer.chat",
        "route.intent": "answer.intent",
        "route.degraded": "answer.degraded",
    }.items():
        graph.connect(sender, receiver)

    def run(query: str) -> dict[str, Any]:
        SEARCHED.clear()
        inputs: dict[str, Any] = {"route": {"query": query}, "answer": {"query": query, "collection": "plans"}}
        inputs |= {name: {"collection": "plans"} for name in ("dense", "sparse", "evidence")}
        result = graph.run(inputs) if request.param == "run" else asyncio.run(graph.run_async(inputs))
        return result["answer"]["answer"]

    return run


def test_chat_is_answered_and_nothing_is_searched(ask) -> None:
    answer = ask("hello")

    assert SEARCHED == []
    assert (answer["answer"], answer["intent"], answer["confidence"]) == ("Hello. Ask me.", "chat", 0.8)
    assert (answer["abstained"], answer["citations"], answer["legs"]) == (False, [], [])
    assert answer["degraded"] == [{"stage": "route", "reason": "the model is away"}]


def test_a_question_is_searched_and_cited(ask) -> None:
    answer = ask("travel budget")

    assert sorted(SEARCHED) == ["dense", "sparse"]
    assert answer["intent"] == "search"
    assert [c["chunk_id"] for c in answer["citations"]] == ["dense", "sparse"]
    assert [leg["name"] for leg in answer["legs"]] == ["dense", "sparse"]
    assert "**travel budget by dense**." in answer["answer"]
