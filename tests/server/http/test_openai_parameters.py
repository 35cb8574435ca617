"""Every parameter of OpenAI's protocol works, is noted or is refused: none is passed over in silence."""

import openai
import pytest
from openai.types.chat.completion_create_params import CompletionCreateParamsStreaming
from openai.types.responses.response_create_params import ResponseCreateParamsStreaming

from tests.server.http.test_openai import HERONS, asked, client_of

pytestmark = pytest.mark.integration

SCHEMA = {"name": "count", "schema": {"type": "integer"}}
TOOL = {"type": "function", "function": {"name": "f", "parameters": {}}}
WORKS, NOTED, REFUSED = "works", "noted", "refused"
CHAT = {
    "messages": (WORKS, asked(HERONS)),
    "model": (WORKS, "khub:default"),
    "stream": (WORKS, False),
    "stream_options": (WORKS, {"include_usage": True}),
    "n": (REFUSED, 2),
    "response_format": (REFUSED, {"type": "json_schema", "json_schema": SCHEMA}),
    "tool_choice": (REFUSED, "required"),
    "function_call": (REFUSED, {"name": "f"}),
    "modalities": (REFUSED, ["text", "audio"]),
    "audio": (NOTED, {"voice": "alloy", "format": "mp3"}),
    "frequency_penalty": (NOTED, 1),
    "functions": (NOTED, [{"name": "f"}]),
    "logit_bias": (NOTED, {"1": 1}),
    "logprobs": (NOTED, True),
    "max_completion_tokens": (NOTED, 5),
    "max_tokens": (NOTED, 5),
    "metadata": (NOTED, {"a": "b"}),
    "moderation": (NOTED, {"model": "m"}),
    "parallel_tool_calls": (WORKS, True),
    "prediction": (NOTED, {"type": "content", "content": "x"}),
    "presence_penalty": (NOTED, 1),
    "prompt_cache_key": (NOTED, "a"),
    "prompt_cache_options": (NOTED, {"a": 1}),
    "prompt_cache_retention": (NOTED, "24h"),
    "reasoning_effort": (NOTED, "low"),
    "safety_identifier": (NOTED, "a"),
    "seed": (NOTED, 1),
    "service_tier": (NOTED, "flex"),
    "stop": (NOTED, ["\n"]),
    "store": (NOTED, True),
    "temperature": (NOTED, 0.5),
    "tools": (NOTED, [TOOL]),
    "top_logprobs": (NOTED, 2),
    "top_p": (NOTED, 0.5),
    "user": (NOTED, "a"),
    "verbosity": (NOTED, "low"),
    "web_search_options": (NOTED, {"search_context_size": "low"}),
}
RESPONSE = {
    "input": (WORKS, HERONS),
    "model": (WORKS, "khub:default"),
    "stream": (WORKS, False),
    "instructions": (NOTED, "Be brief."),
    "background": (REFUSED, True),
    "conversation": (REFUSED, "conv_1"),
    "previous_response_id": (REFUSED, "resp_1"),
    "prompt": (REFUSED, {"id": "pmpt_1"}),
    "text": (REFUSED, {"format": {"type": "json_schema", **SCHEMA}}),
    "tool_choice": (REFUSED, {"type": "function", "name": "f"}),
    "tools": (NOTED, [{"type": "function", "name": "f", "parameters": {}, "strict": False}]),
    "access_programs": (NOTED, [{"a": 1}]),
    "context_management": (NOTED, [{"type": "compaction"}]),
    "image": (NOTED, {"a": 1}),
    "include": (NOTED, ["message.output_text.logprobs"]),
    "max_output_tokens": (NOTED, 50),
    "max_tool_calls": (NOTED, 5),
    "reasoning": (NOTED, {"effort": "low"}),
    "stream_options": (NOTED, {"include_obfuscation": False}),
    "truncation": (NOTED, "auto"),
    **{name: CHAT[name] for name in (
        "metadata", "moderation", "parallel_tool_calls", "prompt_cache_key", "prompt_cache_options",
        "prompt_cache_retention", "safety_identifier", "service_tier", "store", "temperature", "top_logprobs", "top_p",
        "user")},
}  # fmt: skip


@pytest.fixture(scope="module")
def fields():
    return {
        "chat/completions": set(CompletionCreateParamsStreaming.__annotations__),
        "responses": set(ResponseCreateParamsStreaming.__annotations__),
    }


@pytest.mark.parametrize(
    ("route", "table", "least", "where"),
    [("chat/completions", CHAT, {"model": "khub", "messages": asked(HERONS)}, "notes"),
     ("responses", RESPONSE, {"model": "khub", "input": HERONS}, "notes")],
)  # fmt: skip
def test_each_parameter_works_is_noted_or_is_refused(client, fields, route, table, least, where):
    assert fields[route] <= set(table)  # a new one of the protocol has to be decided on
    for name, (fate, value) in table.items():
        reply = client.post(f"/v1/{route}", json={**least, name: value})
        assert reply.status_code == (400 if fate == REFUSED else 200), (name, reply.text)
        if fate == REFUSED:
            assert reply.json()["error"]["param"] == name
        else:
            notes = " ".join(reply.json()["khub"][where])
            assert bool(notes) == (fate == NOTED), (name, notes)
            assert fate == WORKS or name in notes or name == "instructions"


@pytest.mark.parametrize("how", [{"type": "json_schema", "json_schema": SCHEMA}, {"type": "json_object"}])
def test_a_client_that_wants_json_is_told_that_there_is_none(client, how):
    api = client_of(client)
    for stream in (False, True):
        with pytest.raises(openai.BadRequestError, match="JSON"):
            api.chat.completions.create(model="khub", messages=asked(HERONS), response_format=how, stream=stream)
    with pytest.raises(openai.BadRequestError, match="JSON"):
        api.responses.create(model="khub", input=HERONS, text={"format": {"type": "json_object"}})


def test_what_asks_for_nothing_is_no_note(client):
    idle = {"response_format": {"type": "text"}, "tools": [], "tool_choice": "auto", "store": False, "seed": None}
    reply = client.post("/v1/chat/completions", json={"model": "khub", "messages": asked(HERONS), **idle})
    assert reply.json()["khub"]["notes"] == []
