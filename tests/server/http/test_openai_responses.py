"""OpenAI's Responses: the same answers in its newer form."""

import openai
import pytest

from khub.components.text.tokenizer import tokenize
from tests.eval.examples.chat_server import Pieces
from tests.server.http.conftest import KEY
from tests.server.http.test_openai import HERONS, asked, client_of, live

pytestmark = pytest.mark.integration


@pytest.fixture
def api(client, monkeypatch):
    monkeypatch.delenv(KEY, raising=False)
    return client_of(client)


def test_a_question_is_answered_with_citations(api):
    reply = api.responses.create(model="khub", input=HERONS, instructions="Be brief.")
    assert (reply.status, reply.error, reply.model, reply.instructions) == ("completed", None, "khub", "Be brief.")
    chat = api.chat.completions.create(model="khub", messages=asked(HERONS))
    assert reply.output_text == chat.choices[0].message.content
    assert reply.citations == chat.choices[0].message.citations
    (part,) = reply.output[0].content
    assert part.annotations[0].file_id == reply.citations[0]["doc_id"]
    assert part.text[part.annotations[0].index :].startswith("[1]")
    assert reply.usage.total_tokens == reply.usage.input_tokens + reply.usage.output_tokens
    assert reply.usage.output_tokens == len(tokenize(reply.output_text))
    assert (reply.khub["asked"], len(reply.khub["notes"])) == (HERONS, 1)


def test_a_conversation_is_sent_as_items(api):
    first = api.responses.create(model="khub:default", input=[{"role": "user", "content": HERONS}])
    sent = [
        {"role": "developer", "content": "Speak of trout."},
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": HERONS}]},
        *(item.model_dump(exclude_unset=True) for item in first.output),
        {"type": "function_call", "call_id": "1", "name": "f", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "1", "output": "nothing"},
        {"type": "reasoning", "id": "r", "summary": []},
        {"role": "user", "content": [{"type": "input_text", "text": "And slowly?"},
                                     {"type": "input_image", "image_url": "data:,", "detail": "low"}]},
    ]  # fmt: skip
    about = api.responses.create(model="khub:default", input=sent).khub
    assert about["asked"] == "And slowly?"
    assert HERONS in about["searched"]
    assert "input_image" in " ".join(about["notes"])


def test_a_stream_has_openais_events_in_their_order(api):
    kinds, deltas = [], []
    with api.responses.stream(model="khub", input=HERONS) as stream:
        for number, one in enumerate(stream):
            kinds.append(one.type)
            assert one.sequence_number == number or one.type == "response.output_text.delta"
            if one.type == "response.output_text.delta":
                deltas.append(one.delta)
        final = stream.get_final_response()
    assert list(dict.fromkeys(kinds)) == [
        "response.created", "response.in_progress", "response.output_item.added", "response.content_part.added",
        "response.output_text.delta", "response.output_text.annotation.added", "response.output_text.done",
        "response.content_part.done", "response.output_item.done", "response.completed",
    ]  # fmt: skip
    assert "".join(deltas) == final.output_text
    assert final.output_text == api.responses.create(model="khub", input=HERONS).output_text
    assert final.usage.output_tokens > 0


def test_a_language_model_answers_in_words_piece_by_piece(model, serving):
    model.turns = [lambda _: Pieces(["They wade ", "slowly [1]."])]
    with serving() as client, client_of(client).responses.stream(model="khub", input=HERONS) as stream:
        deltas = [one.delta for one in stream if one.type == "response.output_text.delta"]
        final = stream.get_final_response()
    assert deltas[:2] == ["They wade ", "slowly [1]."]
    assert final.output_text == "".join(deltas)
    assert final.khub["graph"] == "more/ask"


@pytest.mark.parametrize("wrong", [{"input": ""}, {"input": []}, {"input": [{"type": "reasoning"}]}, {"input": "?!"}])
@pytest.mark.parametrize("stream", [False, True])
def test_mistakes_are_told_in_openais_shape(api, wrong, stream):
    with pytest.raises(openai.BadRequestError):
        api.responses.create(model="khub", stream=stream, **wrong)
    with pytest.raises(openai.NotFoundError):
        api.responses.create(model="khub:none", stream=stream, input=HERONS)
    with pytest.raises(openai.NotFoundError):
        api.responses.retrieve("resp_1")


def test_a_real_service_answers_openais_client(hub, monkeypatch):
    monkeypatch.delenv(KEY, raising=False)
    with live() as (_, address):
        api = openai.OpenAI(base_url=f"{address}/v1", api_key="none", max_retries=0)
        assert "Herons wade" in api.responses.create(model="khub", input=HERONS).output_text
        events = list(api.responses.create(model="khub", input=HERONS, stream=True))
    assert events[-1].type == "response.completed"
    assert "Herons wade" in events[-1].response.output_text
