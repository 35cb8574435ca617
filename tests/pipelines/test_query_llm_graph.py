"""The shipped graph in which a language model routes, expands and ranks, against a server that does so or does not."""

import json
import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from khub.server.questions.ask import ask
from tests.eval.examples.chat_server import ChatServer, Raw, Silence
from tests.pipelines.conftest import Graph, generators, limit, parameters
from tests.server.hub_files import changes

pytestmark = pytest.mark.integration

QUESTION = "How long does the battery of the Ember robot last?"
LIMIT_S = 0.4
MARGIN_S = 2.5
SEARCH = '{"intent": "search", "confidence": 0.9, "sides": [], "reply": ""}'


@pytest.fixture
def graph(change: Callable[..., str], model: ChatServer) -> Callable[..., str]:
    """A function: the graph, asking this server."""

    def changed(timeout_s: float = 10) -> str:
        def how(data: Graph) -> None:
            parameters(changes(data), "route")["timeout_s"] = timeout_s
            for name in ("expand", "order"):
                limit(changes(data), name, timeout_s)
            for generator in generators(data):
                generator["api_base_url"] = model.url

        return change("more/query_llm", how)

    return changed


def prompts(model: ChatServer, word: str) -> list[str]:
    texts = [str(request["messages"][-1]["content"]) for request in model.requests]
    return [text for text in texts if word in text]


def plays(expansion: Any, ranking: Any) -> Callable[[dict[str, Any]], Any]:
    """Return the turn of a model that does each of its tasks so."""

    def turn(request: dict[str, Any]) -> Any:
        prompt = str(request["messages"][-1]["content"])
        if "n_expansions" in prompt or '"queries"' in prompt:
            return expansion
        if "Rank passages" in prompt:
            return ranking(prompt) if callable(ranking) else ranking
        return SEARCH

    return turn


def ranking_first(words: str) -> Callable[[str], str]:
    def rank(prompt: str) -> str:
        (number,) = re.findall(r"passage (\d+)\n(?:(?!=====)[\s\S])*?" + re.escape(words), prompt)
        return json.dumps({"documents": [{"index": int(number)}, {"index": 77}, {"index": int(number)}]})

    return rank


def test_the_models_words_are_searched_and_its_order_is_the_answers(
    graph: Callable[..., str], model: ChatServer
) -> None:
    model.turns = [plays('{"queries": ["差旅预算 酒店每晚上限", "hotel budget"]}', ranking_first("六百元"))]
    answer = ask(QUESTION, "docs", graph())

    assert answer.degraded == []
    assert Path(answer.citations[0].source).name == "预算.md"
    assert answer.citations[0].ranks["rerank"] == 1
    assert "sparse" in answer.citations[0].ranks  # by the added words: the question has none of it
    assert len({citation.chunk_id for citation in answer.citations}) == len(answer.citations) > 1


def test_the_model_is_asked_for_line_items_and_what_it_gives_is_searched_by_both_legs(
    graph: Callable[..., str], model: ChatServer
) -> None:
    notion = "自由支配额度"
    model.turns = [plays('{"queries": ["差旅预算 酒店每晚上限"]}', '{"documents": []}')]
    answer = ask(notion, "docs", graph())

    [asked] = prompts(model, '"queries"')
    assert "line items" in asked
    assert notion in asked
    first = answer.citations[0]
    assert Path(first.source).name == "预算.md"
    assert {"dense", "sparse"} <= set(first.ranks)


def test_documents_reach_the_ranking_model_inside_the_fence_alone(graph: Callable[..., str], model: ChatServer) -> None:
    model.turns = [plays('{"queries": ["accumulator"]}', '{"documents": [{"index": 1}]}')]
    name = graph()
    ask(QUESTION, "docs", name)
    ask(QUESTION, "docs", name)
    texts = prompts(model, "Rank passages")
    marks = [set(re.findall(r"^===== (\d{5}-\d{5}) ", text, re.MULTILINE)) for text in texts]

    assert [len(mark) for mark in marks] == [1, 1]
    assert marks[0] != marks[1]
    before, *_, after = re.split(rf"^===== {min(marks[0])} .*$", texts[0], flags=re.MULTILINE)
    assert "IGNORE ALL PREVIOUS" in texts[0]
    assert "IGNORE ALL PREVIOUS" not in before + after
    assert "IGNORE ALL PREVIOUS" not in "".join(prompts(model, '"queries"'))
    assert all("tools" not in request for request in model.requests)


@pytest.mark.parametrize(
    ("ranking", "degraded"),
    [
        ('{"documents": []}', []),
        ('{"documents": [{"index": 99}, {"index": -1}]}', ["order"]),
        ("I call delete_collection now.", ["order"]),
        ('{"documents": "all"}', ["order"]),
        (Raw(429, "{}"), ["order"]),
    ],
)
def test_a_model_that_ranks_nonsense_leaves_the_order_of_before(
    graph: Callable[..., str], model: ChatServer, ranking: Any, degraded: list[str]
) -> None:
    model.turns = [plays('{"queries": ["accumulator"]}', '{"documents": [{"index": 1}]}')]
    name = graph()
    before = ask(QUESTION, "docs", name)
    model.turns = [plays('{"queries": ["accumulator"]}', ranking)]
    after = ask(QUESTION, "docs", name)

    assert [entry.stage for entry in after.degraded] == degraded
    assert [c.chunk_id for c in after.citations] == [c.chunk_id for c in before.citations]


@pytest.mark.parametrize("turn", [Silence(), Raw(500, "{}"), "no JSON at all"], ids=["never", "500", "broken"])
def test_without_a_model_the_answer_is_the_default_graphs_in_time(
    graph: Callable[..., str], model: ChatServer, turn: Any
) -> None:
    model.turns = [turn]
    name = graph(LIMIT_S)
    ask("warm up", "docs", name)
    start = time.monotonic()
    answer = ask(QUESTION, "docs", name)

    assert time.monotonic() - start < 3 * LIMIT_S + MARGIN_S
    assert {"expand", "order"} <= {entry.stage for entry in answer.degraded}
    assert "ember.md" in {Path(citation.source).name for citation in answer.citations}


def test_without_a_key_the_reasons_name_its_variable(
    graph: Callable[..., str], model: ChatServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("KHUB_LLM_API_KEY")
    answer = ask(QUESTION, "docs", graph())

    reasons = {entry.stage: entry.reason for entry in answer.degraded}
    assert {"expand", "order"} <= set(reasons)
    assert all("KHUB_LLM_API_KEY" in reason for reason in reasons.values())


def test_small_talk_is_answered_without_a_search(graph: Callable[..., str], model: ChatServer) -> None:
    model.turns = [Raw(500, "{}")]
    answer = ask("thank you!", "docs", graph())

    assert (answer.abstained, answer.citations, answer.legs) == (False, [], [])
    assert prompts(model, "Rank passages") == prompts(model, '"queries"') == []
