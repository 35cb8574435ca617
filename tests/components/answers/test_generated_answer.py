"""A model's words, checked; the passages where it has none."""

import asyncio
import json
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest
from haystack import Pipeline, component
from haystack.dataclasses import ChatMessage, StreamingChunk

from khub.components.answer import Answer, Degraded
from khub.components.answers.generated_answer import GeneratedAnswer
from khub.components.answers.generated_markdown import RULE
from khub.components.errors import GraphError
from khub.components.value import as_json
from tests.components.answers.generation import BATTERY, DOCK, QUESTION, found, generated, generator
from tests.eval.examples.chat_server import Calls, ChatServer, Pieces, Raw, Silence

pytestmark = pytest.mark.integration

GOOD = "The battery lasts eleven hours [1]. The dock charges it in 90 minutes [2]."
Ask = Callable[..., Answer]


@pytest.fixture(params=["run", "run_async"])
def ask(request: pytest.FixtureRequest) -> Ask:
    def ask_component(part: GeneratedAnswer, answer: Answer, query: str = QUESTION, **more: Any) -> Answer:
        inputs = {"query": query, "answer": answer, **more}
        result = part.run(**inputs) if request.param == "run" else asyncio.run(part.run_async(**inputs))
        json.dumps(as_json(result), allow_nan=False)
        return result["answer"]

    return ask_component


def prompt_of(model: ChatServer) -> str:
    (message,) = model.requests[-1]["messages"]
    return str(message["content"])


def test_the_answer_is_the_models_with_its_sources(ask: Ask, model: ChatServer) -> None:
    model.turns = [GOOD]
    before = found()
    answer = ask(generated(model.url), before)

    assert answer.answer.startswith(GOOD)
    assert answer.answer.endswith(
        "Sources:\n\n- [1] Ember manual › Power — `ember-1.pdf`, page 1"
        "\n- [2] Ember manual › Power — `ember-2.pdf`, page 2"
    )
    kept = ("abstained", "citations", "confidence", "intent", "collection", "legs", "degraded")
    assert [getattr(answer, key) for key in kept] == [getattr(before, key) for key in kept]
    assert (answer.generated, answer.model, answer.unsupported, answer.removed_marks) == (True, "scripted", [], [])


def test_only_sources_that_are_named_are_listed(ask: Ask, model: ChatServer) -> None:
    model.turns = ["The dock charges the robot in 90 minutes [2]."]
    answer = ask(generated(model.url), found())

    assert "- [2]" in answer.answer
    assert "- [1]" not in answer.answer
    assert len(answer.citations) == 2


def test_a_chinese_question_is_put_in_chinese(ask: Ask, model: ChatServer) -> None:
    model.turns = ["电池可用十一小时 [1]。"]
    answer = ask(generated(model.url), found("Ember 机器人的电池充满后可用 11 小时。"), "电池能用多久？")

    assert "问题：电池能用多久？" in prompt_of(model)
    assert "来源：\n\n- [1]" in answer.answer
    assert answer.unsupported == []


def test_what_is_asked_holds_question_passages_and_numbers(ask: Ask, model: ChatServer) -> None:
    model.turns = [GOOD]
    ask(generated(model.url), found())

    assert f"Question: {QUESTION}" in prompt_of(model)
    assert BATTERY in prompt_of(model)
    assert DOCK in prompt_of(model)
    assert "there are only the numbers 1, 2;" in prompt_of(model)
    assert "tools" not in model.requests[-1]


def test_marks_that_point_nowhere_and_sentences_without_support_are_reported(ask: Ask, model: ChatServer) -> None:
    model.turns = ["The battery lasts eleven hours [1][7]. It was invented by Doctor Kessler in 1987 [2]."]
    answer = ask(generated(model.url), found())
    text, _, notes = answer.answer.partition("\n\n---\n\n")

    assert text == "The battery lasts eleven hours [1]. It was invented by Doctor Kessler in 1987 [2]."
    assert answer.removed_marks == ["[7]"]
    (sentence,) = answer.unsupported
    assert sentence.text == "It was invented by Doctor Kessler in 1987."
    assert (sentence.marks, sentence.missing) == ([2], ["1987", "Doctor", "Kessler"])
    assert "Not borne out by the passages: “It was invented by Doctor Kessler in 1987.”" in notes
    assert "Left out, since it points to no passage: “\\[7\\]”" in notes


@pytest.mark.parametrize(("min_overlap", "reported"), [(0.2, 0), (0.9, 1)])
def test_the_bound_decides_what_is_supported(ask: Ask, model: ChatServer, min_overlap: float, reported: int) -> None:
    model.turns = ["The battery of the robot lasts through cold winter nights [1]."]

    assert len(ask(generated(model.url, min_overlap=min_overlap), found()).unsupported) == reported


def test_a_model_that_finds_no_answer_abstains_and_names_the_nearest(ask: Ask, model: ChatServer) -> None:
    model.turns = ["<think>Hm.</think>NO_ANSWER"]
    answer = ask(generated(model.url), found())

    assert (answer.abstained, answer.citations, answer.generated) == (True, [], True)
    assert answer.answer.startswith("The passages found do not answer this question.")
    assert "- Ember manual › Power — `ember-1.pdf`, page 1" in answer.answer
    assert answer.degraded == []


@pytest.mark.parametrize("more", [{"abstained": True, "citations": []}, {"intent": "chat", "citations": []}])
def test_where_nothing_was_found_no_model_is_asked(ask: Ask, model: ChatServer, more: dict[str, Any]) -> None:
    answer = ask(generated(model.url), found(**more, answer="Nothing there."))

    assert model.requests == []
    assert answer.answer == "Nothing there."
    assert (answer.generated, answer.model, answer.degraded) == (False, None, [])


FAILURES = {
    "429": (Raw(429, "{}"), "RateLimitError"),
    "500": (Raw(500, "{}"), "InternalServerError"),
    "not json": (Raw(200, "<html>down</html>"), ""),
    "no choices": (
        Raw(200, '{"id": "1", "object": "chat.completion", "created": 1, "model": "m", "choices": []}'),
        "empty",
    ),
    "empty": ("", "the reply is empty"),
    "only a thought": ("<think>What now?", "the reply is empty"),
    "a call of a tool": (Calls([("delete_collection", {"name": "robots"})]), "the reply is empty"),
    "only marks to nowhere": ("[8]", "holds nothing that points to a passage"),
}


@pytest.mark.parametrize("name", FAILURES)
def test_a_model_that_fails_leaves_the_passages(ask: Ask, model: ChatServer, name: str) -> None:
    turn, reason = FAILURES[name]
    model.turns = [turn]
    before = found(degraded=[Degraded("dense", "down")])
    answer = ask(generated(model.url), before)

    assert answer.degraded[0] == Degraded("dense", "down")
    assert [entry.stage for entry in answer.degraded] == ["dense", "generate"]
    assert reason in answer.degraded[1].reason
    assert answer.answer.startswith(before.answer + "\n\nNote: no answer could be written (")
    assert answer.citations == before.citations
    assert (answer.generated, answer.model) == (False, None)


def test_a_model_that_never_answers_costs_no_more_than_its_time(ask: Ask, model: ChatServer) -> None:
    model.turns = [Silence()]
    part = generated(model.url, timeout_s=0.3)
    start = time.monotonic()
    answer = ask(part, found())

    assert time.monotonic() - start < 3
    assert answer.degraded == [Degraded("generate", "no answer in 0.3 s")]


def test_without_a_key_the_reason_names_its_variable(ask: Ask, model: ChatServer, monkeypatch: Any) -> None:
    monkeypatch.delenv("KHUB_LLM_API_KEY")
    part = generated(model.url)
    part.warm_up()

    assert "KHUB_LLM_API_KEY" in ask(part, found()).degraded[0].reason


def test_an_answer_that_was_cut_is_kept_and_says_so(ask: Ask, model: ChatServer) -> None:
    choice = {
        "index": 0,
        "message": {"role": "assistant", "content": "It lasts eleven hours [1]."},
        "finish_reason": "length",
    }
    body = {"id": "1", "object": "chat.completion", "created": 1, "model": "scripted", "choices": [choice]}
    model.turns = [Raw(200, json.dumps(body))]
    answer = ask(generated(model.url), found())

    assert answer.generated
    assert answer.degraded == [Degraded("generate", "the model's limit of tokens was reached")]
    assert "Note: the answer is not complete" in answer.answer


def test_a_prompt_of_ones_own_is_used_and_a_broken_one_leaves_the_passages(
    ask: Ask, model: ChatServer, tmp_path: Any, monkeypatch: Any
) -> None:
    monkeypatch.setenv("KHUB_HOME", str(tmp_path))
    model.turns = [GOOD]
    (tmp_path / "prompts").mkdir()
    (tmp_path / "prompts" / "answer.en.md").write_text("Mine: {{ question }}", encoding="utf-8")
    ask(generated(model.url), found())
    assert prompt_of(model) == f"Mine: {QUESTION}"

    (tmp_path / "other.md").write_text("Other: {{ question }}", encoding="utf-8")
    ask(generated(model.url, prompt_file="other.md"), found())
    assert prompt_of(model) == f"Other: {QUESTION}"

    answer = ask(generated(model.url, prompt_file="gone.md"), found())
    assert "gone.md cannot be read" in answer.degraded[0].reason
    assert len(model.requests) == 2


def test_the_room_for_passages_is_bounded(ask: Ask, model: ChatServer) -> None:
    model.turns = ["It lasts eleven hours [1]. It is blue [2]."]
    answer = ask(generated(model.url, max_characters=300), found(f"{BATTERY} " + "More words. " * 60, DOCK))

    assert len(prompt_of(model)) < 2200
    assert DOCK not in prompt_of(model)
    assert answer.removed_marks == ["[2]"]  # was not shown, so that nothing can rest on it


def tokens_of(chunks: list[StreamingChunk]) -> list[str]:
    return [chunk.content for chunk in chunks if chunk.content]


def test_tokens_come_while_the_model_still_writes(ask: Ask, model: ChatServer) -> None:
    more = threading.Event()
    model.turns = [Pieces(["The battery lasts ", "eleven hours [1]", "."], held=more)]
    chunks: list[StreamingChunk] = []

    def take(chunk: StreamingChunk) -> None:
        chunks.append(chunk)
        more.set()  # the server waits for it

    answer = ask(generated(model.url), found(), streaming_callback=take)

    assert tokens_of(chunks) == ["The battery lasts ", "eleven hours [1]", "."]
    assert answer.answer.startswith("The battery lasts eleven hours [1].\n")
    assert answer.degraded == []


@pytest.mark.parametrize(
    ("query", "doubt"),
    [
        ("How long does the battery of the Ember 900 last?", "None of these passages names `900`."),
        ("Ember 900 的电池能用多久？", "这些段落都没有提到 `900`。"),
    ],
)
def test_what_no_passage_names_is_said_first_in_the_stream_too(
    ask: Ask, model: ChatServer, query: str, doubt: str
) -> None:
    model.turns = [Pieces(["The battery ", "lasts eleven ", "hours [1]."])]
    chunks: list[StreamingChunk] = []
    answer = ask(generated(model.url), found(), query, streaming_callback=chunks.append)
    streamed = "".join(chunk.content for chunk in chunks)

    assert answer.answer.startswith(f"{doubt}\n\nThe battery")
    assert streamed == answer.answer.partition(RULE)[0]


def test_a_coroutine_may_take_the_tokens(model: ChatServer) -> None:
    model.turns = [Pieces(["The battery lasts ", "eleven hours [1]."])]

    async def both() -> list[str]:
        queue: asyncio.Queue[StreamingChunk] = asyncio.Queue()
        await generated(model.url).run_async(QUESTION, found(), queue.put)
        await asyncio.sleep(0)
        return tokens_of([queue.get_nowait() for _ in range(queue.qsize())])

    assert asyncio.run(both()) == ["The battery lasts ", "eleven hours [1]."]


@pytest.mark.parametrize(
    ("pieces", "shown"),
    [
        (["<thi", "nk>Let me see.", "</think>\n", "Eleven", " hours [1]."], ["Eleven", " hours [1]."]),
        (["NO_", "ANSWER"], []),
        (["NO", " charge lasts longer [1]."], ["NO charge lasts longer [1]."]),
        (["NO"], ["NO"]),
    ],
)
def test_thoughts_and_the_word_for_no_answer_are_not_shown(
    ask: Ask, model: ChatServer, pieces: list[str], shown: list[str]
) -> None:
    model.turns = [Pieces(pieces)]
    chunks: list[StreamingChunk] = []
    ask(generated(model.url), found(), streaming_callback=chunks.append)

    assert tokens_of(chunks) == shown


def test_a_stream_that_breaks_leaves_the_passages(ask: Ask, model: ChatServer) -> None:
    model.turns = [Pieces(["The battery "], breaks=True)]
    answer = ask(generated(model.url), found(), streaming_callback=[].append)

    assert [entry.stage for entry in answer.degraded] == ["generate"]
    assert not answer.generated


def test_tokens_that_come_after_the_time_are_not_passed_on(ask: Ask) -> None:
    slow = Slow()
    chunks: list[StreamingChunk] = []
    answer = ask(GeneratedAnswer(slow, timeout_s=0.5), found(), streaming_callback=chunks.append)
    slow.goes_on.set()

    assert slow.done.wait(10)
    assert answer.degraded == [Degraded("generate", "no answer in 0.5 s")]
    assert tokens_of(chunks) == ["The battery "]


@component
class Slow:
    """Gives one token at once, and the next when the test lets it."""

    def __init__(self) -> None:
        self.goes_on, self.done = threading.Event(), threading.Event()

    @component.output_types(replies=list[ChatMessage])
    def run(self, messages: list[ChatMessage], streaming_callback: Callable[..., Any] | None = None) -> dict[str, Any]:
        assert streaming_callback is not None
        streaming_callback(StreamingChunk(content="The battery "))
        self.goes_on.wait(20)
        streaming_callback(StreamingChunk(content="lasts"))
        self.done.set()
        return {"replies": [ChatMessage.from_assistant(GOOD)]}


def test_a_generator_that_cannot_stream_answers_whole(ask: Ask) -> None:
    chunks: list[StreamingChunk] = []
    answer = ask(GeneratedAnswer(Plain(), timeout_s=5), found(), streaming_callback=chunks.append)

    assert answer.generated
    assert (chunks, answer.model) == ([], None)


@component
class Plain:
    @component.output_types(replies=list[ChatMessage])
    def run(self, messages: list[ChatMessage]) -> dict[str, Any]:
        return {"replies": [ChatMessage.from_assistant(GOOD)]}


@pytest.mark.parametrize("wrong", [{"min_overlap": 1.1}, {"max_characters": 0}, {"timeout_s": 0}])
def test_parameters_out_of_range_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(GraphError):
        GeneratedAnswer(Plain(), **wrong)


def test_it_is_written_in_a_graph_and_read_from_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KHUB_LLM_API_KEY", "a-key")
    given = {"timeout_s": 7, "min_overlap": 0.3, "max_characters": 99, "prompt_file": "p.md"}
    pipeline = Pipeline()
    pipeline.add_component("generate", GeneratedAnswer(generator("http://127.0.0.1:9/v1"), **given))
    again = Pipeline.loads(pipeline.dumps(), allowed_modules=["khub.components.*"]).get_component("generate")

    assert {key: getattr(again, key) for key in given} == given
    assert again.generator.api_base_url == "http://127.0.0.1:9/v1"
    assert "a-key" not in pipeline.dumps()
