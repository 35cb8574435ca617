"""What a trace keeps of calls of language models."""

import asyncio
import math
from concurrent.futures import Future

import pytest
from haystack import Pipeline, component, tracing
from haystack.dataclasses import ChatMessage

from khub.components.answer import Answer, Citation
from khub.components.answers.generated_answer import GeneratedAnswer
from khub.components.model_servers.bounded_generator import BoundedGenerator
from khub.server.traces.model_calls import model_calls
from khub.server.traces.record import MAX_PARTS
from khub.server.traces.tracer import install, trace_request

pytestmark = pytest.mark.unit
USAGE = {"prompt_tokens": 7, "completion_tokens": 2, "total_tokens": 9}


@component
class Says:
    """A chat generator."""

    @component.output_types(replies=list[ChatMessage])
    def run(self, messages: list[ChatMessage]):
        return {"replies": [ChatMessage.from_assistant("blue", meta={"model": "m1", "usage": USAGE})]}


@pytest.fixture(autouse=True)
def _fresh_tracer():
    before = tracing.tracer.actual_tracer
    tracing.disable_tracing()
    install()
    yield
    tracing.enable_tracing(before)


def asked(monkeypatch, level, times=1):
    monkeypatch.setenv("KHUB_TRACE", level)
    model = BoundedGenerator(Says(), 5, 1)
    with trace_request("g", "query", {"query": "what"}) as request:
        tags = {"haystack.component.name": "route", "haystack.component.fully_qualified_type": "a.B"}
        with tracing.tracer.trace("haystack.component.run", tags=tags):
            for _ in range(times):
                assert model.ask([ChatMessage.from_user("which colour?")], math.inf, Future()) == "blue"
    return request.record()


def test_a_call_inside_a_stage_is_told_with_its_texts_where_all_is_traced(monkeypatch):
    (call,) = model_calls(asked(monkeypatch, "verbose"))
    assert (call.stage, call.model, call.prompt, call.answer) == ("route", "m1", "which colour?", "blue")
    assert call.usage == USAGE


def test_the_standard_level_keeps_tokens_and_no_text(monkeypatch):
    record = asked(monkeypatch, "standard")
    (call,) = model_calls(record)
    assert (call.prompt, call.answer, call.usage) == (None, None, USAGE)
    assert "colour" not in str(record)


def test_the_minimal_level_keeps_no_word_of_a_call(monkeypatch):
    record = asked(monkeypatch, "minimal")
    (call,) = model_calls(record)
    assert (call.model, call.prompt, call.answer, call.usage) == ("", None, None, {})
    assert "blue" not in str(record)


def test_tokens_are_kept_where_texts_are_masked(monkeypatch):
    monkeypatch.setenv("KHUB_TRACE_MASK", "1")
    record = asked(monkeypatch, "verbose")
    (call,) = model_calls(record)
    assert (call.model, call.prompt, call.answer, call.usage) == ("m1", None, None, USAGE)
    assert "blue" not in str(record)


def test_the_tokens_of_calls_that_are_not_kept_are_counted(monkeypatch):
    record = asked(monkeypatch, "standard", MAX_PARTS + 3)
    assert len(model_calls(record)) == MAX_PARTS
    assert record["stages"][0]["details"]["usage"]["total_tokens"] == 9 * (MAX_PARTS + 3)


def test_a_stage_that_is_a_model_itself_is_a_call(monkeypatch):
    monkeypatch.setenv("KHUB_TRACE", "verbose")
    pipeline = Pipeline()
    pipeline.add_component("model", Says())
    with trace_request("g", "query", {"query": "what"}) as request:
        pipeline.run({"model": {"messages": [ChatMessage.from_user("which colour?")]}})
    (call,) = model_calls(request.record())
    assert (call.stage, call.model, call.prompt, call.answer) == ("model", "m1", "which colour?", "blue")
    assert call.usage == USAGE


@pytest.mark.parametrize("way", ["run", "run_async"])
def test_a_written_answer_tells_of_its_call(monkeypatch, way):
    monkeypatch.setenv("KHUB_TRACE", "verbose")
    answer = Answer("x", citations=[Citation(1, "c", source="c.md", title="Colours", text="blue")])
    stage = GeneratedAnswer(Says())
    with trace_request("g", "query", {"query": "what"}) as request:
        tags = {"haystack.component.name": "generate", "haystack.component.fully_qualified_type": "a.B"}
        with tracing.tracer.trace("haystack.component.run", tags=tags):
            done = getattr(stage, way)(query="which colour?", answer=answer)
            if way == "run_async":
                asyncio.run(done)
    (call,) = model_calls(request.record())
    assert (call.stage, call.answer, call.usage) == ("generate", "blue", USAGE)
    assert "which colour?" in call.prompt
