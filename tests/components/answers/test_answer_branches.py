"""The answer of a graph that parts questions from chat: the branch not taken does not run."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from haystack import Document, Pipeline, component
from haystack.components.joiners import DocumentJoiner

from khub.components.answer import Degraded
from khub.components.answers.answer_builder import AnswerBuilder
from khub.components.answers.evidence import Evidence
from khub.components.question import Intent, Leg, Question

pytestmark = pytest.mark.unit

SEARCHED: list[str] = []


@component
class Route:
    """Hands a question on, or small talk with its reply, with sockets as those of `IntentRouter`."""

    @component.output_types(question=Question, chat=Question, degraded=list[dict])
    def run(self, query: str) -> dict[str, Any]:
        degraded = [{"stage": "route", "reason": "the model is away"}]
        name = "chat" if query == "hello" else "question"
        intent = Intent("chat" if name == "chat" else "search", 0.8, "rules")
        reply = "Hello. Ask me." if name == "chat" else None
        return {name: Question(query, query, "plans", intent=intent, reply=reply), "degraded": degraded}


@component
class Finder:
    """Finds one passage."""

    def __init__(self, name: str) -> None:
        self.name = name

    @component.output_types(documents=list[Document], leg=Leg)
    def run(self, question: Question) -> dict[str, Any]:
        SEARCHED.append(self.name)
        text = f"{question.text} by {self.name}."
        found = [Document(id=self.name, content=text, score=0.9, meta={"source": "a.md"})]
        return {"documents": found, "leg": Leg(self.name, found)}


Ask = Callable[[str], dict[str, Any]]


@pytest.fixture(params=["run", "run_async"])
def ask(request: pytest.FixtureRequest) -> Ask:
    graph = Pipeline()
    parts = {"route": Route(), "dense": Finder("dense"), "sparse": Finder("sparse"), "join": DocumentJoiner()}
    for name, part in {**parts, "select": Evidence(), "answer": AnswerBuilder()}.items():
        graph.add_component(name, part)
    for name in ("dense", "sparse"):
        graph.connect("route.question", f"{name}.question")
        graph.connect(f"{name}.documents", "join.documents")
        graph.connect(f"{name}.leg", "answer.legs")
    graph.connect("join.documents", "select.documents")
    graph.connect("route.question", "select.question")
    graph.connect("select.documents", "answer.documents")
    for socket in ("question", "chat", "degraded"):
        graph.connect(f"route.{socket}", f"answer.{socket}")

    def run(query: str) -> dict[str, Any]:
        SEARCHED.clear()
        inputs = {"route": {"query": query}}
        result = graph.run(inputs) if request.param == "run" else asyncio.run(graph.run_async(inputs))
        return result["answer"]["answer"]

    return run


def test_chat_is_answered_and_nothing_is_searched(ask: Ask) -> None:
    answer = ask("hello")

    assert SEARCHED == []
    assert (answer.answer, answer.intent, answer.confidence) == ("Hello. Ask me.", "chat", 0.8)
    assert (answer.abstained, answer.citations, answer.legs) == (False, [], [])
    assert answer.degraded == [Degraded("route", "the model is away")]


def test_a_question_is_searched_and_cited(ask: Ask) -> None:
    answer = ask("travel budget")

    assert sorted(SEARCHED) == ["dense", "sparse"]
    assert (answer.intent, answer.collection) == ("search", "plans")
    assert [c.chunk_id for c in answer.citations] == ["dense", "sparse"]
    assert [leg.name for leg in answer.legs] == ["dense", "sparse"]
    assert "**travel budget by dense**." in answer.answer
