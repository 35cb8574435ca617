"""Programs that speak OpenAI's protocol are answered from the documents."""

import base64
import contextlib
import json
import re
import threading

import httpx
import numpy as np
import openai
import pytest
import uvicorn
from markdown_it import MarkdownIt

from khub.components.embedders.model_folder import load_model
from khub.server.http.concurrency_limit import ConcurrencyLimit
from khub.server.http.service import service_config
from khub.server.http.service_options import ServiceOptions
from khub.server.library.ingest import ingest
from khub.server.named_tokens import create_token
from khub.server.traces.index import read_traces
from tests.eval.examples.chat_server import Pieces, Raw, Silence
from tests.server.http.conftest import BASE, KEY, bearer
from tests.server.http.test_graph_routes import until

pytestmark = pytest.mark.integration

HERONS = "How do herons wade?"


def client_of(client, key="none"):
    return openai.OpenAI(base_url=f"{BASE}/v1", api_key=key, http_client=client, max_retries=0)


def asked(*questions):
    return [{"role": "user", "content": question} for question in questions]


@pytest.fixture
def api(client, monkeypatch):
    monkeypatch.delenv(KEY, raising=False)
    return client_of(client)


@contextlib.contextmanager
def live():
    """Serve on the loopback; give the server and its address."""
    service = uvicorn.Server(service_config(ServiceOptions(), 0))
    thread = threading.Thread(target=service.run)
    thread.start()
    try:
        until(lambda: service.started)
        yield service, f"http://127.0.0.1:{service.servers[0].sockets[0].getsockname()[1]}"
    finally:
        service.should_exit = True
        thread.join(30)


def words(chunks):
    return "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices)


def test_a_chat_is_answered_with_citations(api):
    reply = api.chat.completions.create(model="khub", messages=asked(HERONS))
    message = reply.choices[0].message
    assert (message.role, reply.choices[0].finish_reason) == ("assistant", "stop")
    assert "[1]" in message.content
    assert "Birds" in message.content
    assert message.citations[0]["title"] == "Birds"
    assert reply.usage.total_tokens == reply.usage.prompt_tokens + reply.usage.completion_tokens
    assert reply.usage.prompt_tokens == 3 + 1
    assert (reply.khub["asked"], reply.khub["graph"], reply.khub["degraded"]) == (HERONS, "query", [])
    assert reply.khub["trace_id"] in {trace["trace_id"] for trace in read_traces(5)}


def test_a_stream_gives_the_same_and_ends_as_it_should(api, client):
    whole = api.chat.completions.create(model="khub:default", messages=asked(HERONS))
    wanted = {"model": "khub:default", "messages": asked(HERONS), "stream": True}
    chunks = list(api.chat.completions.create(**wanted, stream_options={"include_usage": True}))
    assert words(chunks) == whole.choices[0].message.content
    assert chunks[0].choices[0].delta.role == "assistant"
    assert len({chunk.id for chunk in chunks}) == 1
    ends = [chunk for chunk in chunks if chunk.choices and chunk.choices[0].finish_reason]
    assert [end.choices[0].finish_reason for end in ends] == ["stop"]
    assert ends[0].choices[0].delta.citations == whole.choices[0].message.citations
    assert (chunks[-1].choices, chunks[-1].usage) == ([], whole.usage)
    raw = client.post("/chat/completions", json=wanted)
    assert raw.headers["content-type"].startswith("text/event-stream")
    assert raw.text.endswith("data: [DONE]\n\n")
    assert '"usage"' not in raw.text


def test_what_the_hub_does_not_heed_is_noted(api):
    picture = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}
    told = [{"role": "system", "content": "Speak of trout."},
            {"role": "user", "content": [{"type": "text", "text": HERONS}, picture]}]  # fmt: skip
    tool = {"type": "function", "function": {"name": "f", "parameters": {}}}
    reply = api.chat.completions.create(model="khub", messages=told, tools=[tool], tool_choice="auto", temperature=1)
    assert reply.khub["asked"] == HERONS
    assert reply.choices[0].message.citations[0]["title"] == "Birds"
    assert len(reply.khub["notes"]) == 3
    assert "temperature, tools" in reply.khub["notes"][0]
    assert "image_url" in " ".join(reply.khub["notes"])


@pytest.mark.parametrize(
    ("body", "status", "param"),
    [({"model": "gpt", "messages": asked(HERONS)}, 404, "model"),
     ({"model": "khub:none", "messages": asked(HERONS)}, 404, "model"),
     ({"messages": asked(HERONS)}, 400, "model"),
     ({"model": "khub", "messages": []}, 400, "messages"),
     ({"model": "khub", "messages": [{"role": "assistant", "content": "hi"}]}, 400, "messages"),
     ({"model": "khub", "messages": asked("")}, 400, "messages"),
     ({"model": "khub", "messages": asked("?!")}, 400, "messages"),
     ({"model": "khub", "messages": asked("x" * 9000)}, 400, "messages"),
     ({"model": "khub", "messages": asked(HERONS), "n": 2}, 400, "n")],
)  # fmt: skip
@pytest.mark.parametrize("stream", [False, True])
def test_mistakes_of_a_caller_are_told_in_openais_shape(client, body, status, param, stream):
    reply = client.post("/v1/chat/completions", json={**body, "stream": stream})
    assert reply.status_code == status, reply.text
    error = reply.json()["error"]
    assert set(error) == {"message", "type", "code", "param"}
    assert (error["type"], error["param"]) == ("invalid_request_error", param)


def test_what_is_no_json_and_no_model_is_refused(client, api):
    reply = client.post("/v1/chat/completions", content=b"{", headers={"Content-Type": "application/json"})
    assert (reply.status_code, reply.json()["error"]["code"]) == (400, "invalid_json")
    with pytest.raises(openai.NotFoundError):
        api.models.retrieve("khub:none")
    with pytest.raises(openai.NotFoundError, match="chat/completions"):
        api.completions.create(model="khub", prompt=HERONS)


@pytest.mark.parametrize(
    ("method", "path"),
    [("POST", "/v1/none"), ("GET", "/v1/none"), ("POST", "/v1/files"), ("GET", "/v1/responses/1"), ("PUT", "/v1")],
)
def test_what_is_not_there_is_told_in_openais_shape_whoever_asks(hub, serving, method, path):
    for tokens, status in (((), 404), (("r", "w"), 401)):
        with serving(*tokens) as client:
            reply = client.request(method, path)
            assert (reply.status_code, reply.headers["content-type"]) == (status, "application/json")
            assert set(reply.json()["error"]) == {"message", "type", "code", "param"}
            assert int(reply.headers["content-length"]) == len(reply.content)
            assert client.request(method, path, headers=bearer("r")).status_code == 404
    with serving() as client:
        assert client.post("/nothing").json()["detail"] == "there is no such route"
        assert client.request("DELETE", "/documents/x").status_code == 403
        assert client.put("/documents/x").status_code == 405


def test_models_are_those_that_the_caller_may_read(hub, serving, notes):
    assert not ingest([str(notes / "fish.txt")], collection="鱼").failed
    one, _ = create_token("one", collections=("default",))
    with serving("r") as client:
        every = client_of(client, "r")
        assert [model.id for model in every.models.list()] == ["khub", "khub:default", "khub:鱼"]
        assert every.models.retrieve("khub:鱼").owned_by == "knowledge-hub"
        limited = client_of(client, one)
        assert [model.id for model in limited.models.list()] == ["khub", "khub:default"]
        with pytest.raises(openai.NotFoundError):
            limited.chat.completions.create(model="khub:鱼", messages=asked("Which fish swim upstream?"))
        with pytest.raises(openai.AuthenticationError):
            client_of(client, "wrong").models.list()
        found = every.chat.completions.create(model="khub:鱼", messages=asked("Which fish swim upstream?"))
        assert "Trout" in found.choices[0].message.content


def test_embeddings_in_both_formats(api):
    texts = ["herons wade", "鳟鱼"]
    expected = load_model("khub-fast").encode(texts)
    for how in ({}, {"encoding_format": "float"}, {"encoding_format": "base64"}):
        reply = api.embeddings.create(model="khub-fast", input=texts, **how)
        vectors = [entry.embedding for entry in reply.data]
        if how.get("encoding_format") == "base64":
            vectors = [np.frombuffer(base64.b64decode(vector), "<f4") for vector in vectors]
        assert np.allclose(vectors, expected, atol=1e-6)
        assert reply.usage.total_tokens > 0
    assert len(api.embeddings.create(model="khub", input="herons", dimensions=384).data[0].embedding) == 384


def test_embeddings_have_bounds(client):
    ask = {"model": "khub-fast", "input": ["herons " * 1000] * 43}
    told = client.post("/v1/embeddings", json=ask)
    assert told.status_code == 400
    assert "300,000" in told.json()["error"]["message"]
    assert client.post("/v1/embeddings", json={**ask, "input": "x" * 32_001}).status_code == 400
    mixed = ["herons wade"] * 40 + ["herons " * 1000, "herons wade"]
    vectors = [row["embedding"] for row in client.post("/v1/embeddings", json={**ask, "input": mixed}).json()["data"]]
    assert len(vectors) == 42
    assert vectors[0] == pytest.approx(vectors[41])
    assert vectors[0] != pytest.approx(vectors[40])


@pytest.mark.parametrize("tokens", [[1, 2], [[1, 2], [3]]])
def test_token_ids_are_refused_in_words_that_help(api, tokens):
    with pytest.raises(openai.BadRequestError, match="check_embedding_ctx_length=False"):
        api.embeddings.create(model="khub-fast", input=tokens)
    with pytest.raises(openai.BadRequestError, match="no text to embed"):
        api.embeddings.create(model="khub-fast", input=[])


@pytest.mark.parametrize(
    "wrong", [{"input": [1, 2]}, {"input": [[1]]}, {"input": []}, {"input": ""}, {"input": "x", "dimensions": 100},
              {"input": "x", "encoding_format": "hex"}],
)  # fmt: skip
def test_embeddings_of_what_is_no_text_are_refused(client, wrong):
    reply = client.post("/v1/embeddings", json={"model": "khub-fast", **wrong})
    assert (reply.status_code, reply.json()["error"]["type"]) == (400, "invalid_request_error")
    unknown = client.post("/v1/embeddings", json={"model": "ada", "input": "x"})
    assert (unknown.status_code, unknown.json()["error"]["code"]) == (404, "model_not_found")


def test_a_language_model_answers_in_words(model, serving):
    model.turns = [
        lambda request: "They wade slowly [1]." if not request.get("stream") else Pieces(["They wade ", "slowly [1]."])
    ]
    with serving() as client:
        api = client_of(client)
        reply = api.chat.completions.create(model="khub", messages=asked(HERONS))
        assert reply.choices[0].message.content.startswith("They wade slowly [1].")
        assert "Birds" in reply.choices[0].message.content  # the list of sources
        assert reply.khub["graph"] == "more/ask"
        chunks = list(api.chat.completions.create(model="khub", messages=asked(HERONS), stream=True))
    assert words(chunks) == reply.choices[0].message.content
    assert [c.choices[0].delta.content for c in chunks[1:3]] == ["They wade ", "slowly [1]."]


@pytest.mark.parametrize("turn", [Raw(500, "{}"), Pieces(["They wa"], breaks=True)], ids=["500", "breaks"])
@pytest.mark.parametrize("stream", [False, True])
def test_where_the_model_fails_the_passages_are_the_answer(model, serving, turn, stream):
    model.turns = [turn]
    with serving() as client:
        reply = client_of(client).chat.completions.create(model="khub", messages=asked(HERONS), stream=stream)
        if stream:
            chunks = list(reply)
            text, about = words(chunks), chunks[-1].khub
        else:
            text, about = reply.choices[0].message.content, reply.khub
    assert "Herons wade" in text
    assert about["degraded"][0]["stage"] == "generate"


def test_a_language_model_is_asked_once_of_the_collection_that_answers_best(model, serving, notes):
    assert not ingest([str(notes / "fish.txt")], collection="fish").failed
    model.turns = [lambda _: Pieces(["They swim ", "upstream [1]."])]
    question = asked("Which fish swim upstream in spring?")
    with serving() as client:
        chunks = list(client_of(client).chat.completions.create(model="khub", messages=question, stream=True))
    assert [c.choices[0].delta.content for c in chunks[1:3]] == ["They swim ", "upstream [1]."]
    assert len(model.requests) == 1
    assert {one["name"] for one in chunks[-1].khub["collections"]} == {"default", "fish"}


def test_where_the_graph_itself_fails_the_passages_are_the_answer(hub, serving, write_graph, monkeypatch):
    from tests.server.http.test_graph_routes import finding_by

    monkeypatch.setenv(KEY, "key")
    write_graph("more/ask", finding_by("Fail", "{how: else}"))
    with serving() as client:
        reply = client_of(client).chat.completions.create(model="khub", messages=asked(HERONS))
    assert "Herons wade" in reply.choices[0].message.content
    assert reply.khub["degraded"][0]["stage"] == "generate"
    assert "luck" not in reply.to_json()


def test_words_come_while_the_model_writes_and_end_with_the_client(model):
    held = threading.Event()
    model.turns = [Pieces(["They wade ", "slowly [1]."], held=held)]
    body = {"model": "khub", "messages": asked(HERONS), "stream": True}
    try:
        with live() as (_, address), httpx.Client(base_url=address, timeout=30) as client:
            with client.stream("POST", "/v1/chat/completions", json=body) as reply:
                lines = (line for line in reply.iter_lines() if "They wade" in line)
                assert next(lines)
                assert not held.is_set()
            until(lambda: any(trace["error"] for trace in read_traces(5)))  # the run was cancelled
    finally:
        held.set()


def test_a_client_that_goes_away_before_the_answer_cancels_it(model):
    model.turns = [Silence()]
    body = {"model": "khub", "messages": asked(HERONS)}
    with live() as (_, address), httpx.Client(base_url=address, timeout=30) as client:
        until(lambda: client.get("/readyz").status_code == 200)
        with pytest.raises(httpx.ReadTimeout):
            client.post("/v1/chat/completions", json=body, timeout=httpx.Timeout(30, read=2))
        until(lambda: any(trace["error"] for trace in read_traces(5)), patience_s=3)


def test_the_place_of_a_client_that_goes_away_is_given_back_once(model):
    model.turns = [Silence()] * 3
    body = {"model": "khub", "messages": asked(HERONS)}
    with live() as (server, address), httpx.Client(base_url=address, timeout=30) as client:
        until(lambda: client.get("/readyz").status_code == 200)
        for _ in range(3):
            with pytest.raises(httpx.ReadTimeout):
                client.post("/v1/chat/completions", json=body, timeout=httpx.Timeout(30, read=1))
        limit = server.config.loaded_app.guarded
        while not isinstance(limit, ConcurrencyLimit):
            limit = limit.app
        until(lambda: len([one for one in read_traces(9) if one["error"]]) == 3, patience_s=5)
        until(lambda: client.get("/graphs").status_code == 200 and limit._waiting == 0, patience_s=3)


def test_the_requests_of_open_webui_are_served(hub, serving):
    """List models, stream a chat, then set tasks about it: a title, tags and further questions, not streamed."""
    with serving("r") as client:
        headers = {**bearer("r"), "X-OpenWebUI-User-Name": "A", "X-OpenWebUI-User-Id": "1"}
        listed = client.get("/v1/models", headers=headers).json()["data"]
        chat = {"model": listed[0]["id"], "stream": True, "stream_options": {"include_usage": True},
                "messages": [{"role": "user", "content": HERONS}]}  # fmt: skip
        with client.stream("POST", "/v1/chat/completions", json=chat, headers=headers) as reply:
            events = [line.removeprefix("data: ") for line in reply.iter_lines() if line]
        assert events[-1] == "[DONE]"
        text = "".join(c["delta"].get("content") or "" for e in events[:-1] for c in json.loads(e)["choices"])
        history = f"<chat_history>\nUSER: {HERONS}\nASSISTANT: {text * 9}\n</chat_history>"
        for task in ('### Task:\nGenerate a title.\n### Output:\nJSON format: {"title": "…"}\n', "### Task:\nTags\n"):
            ask = {"model": "khub", "messages": asked(task + history), "stream": False, "max_completion_tokens": 1000}
            before = len(list(read_traces(50)))
            reply = client.post("/v1/chat/completions", json=ask, headers=headers)
            assert reply.status_code == 200
            said = reply.json()["choices"][0]["message"]["content"]
            assert not re.search("[{}]", said)  # so that it takes the first question as the title
            assert len(list(read_traces(50))) == before


def test_with_a_model_a_question_is_made_to_stand_by_itself(model, serving):
    model.turns = ["Where do herons wade slowly?", "They wade slowly [1]."]
    turns = [*asked(HERONS), {"role": "assistant", "content": "…"}, *asked("And slowly?")]
    with serving() as client:
        about = client_of(client).chat.completions.create(model="khub", messages=turns).khub
    assert (about["asked"], about["searched"]) == ("And slowly?", "Where do herons wade slowly?")


def test_a_question_that_leans_on_the_one_before_takes_it_along(api):
    turns = [*asked(HERONS), {"role": "assistant", "content": "…"}, *asked("And slowly?")]
    about = api.chat.completions.create(model="khub", messages=turns).khub
    assert about["asked"] == "And slowly?"
    assert HERONS in about["searched"]


SEEN = "![z](http://tracker.example/leak.png) [c](http://tracker.example) <img src=x>"


@pytest.mark.parametrize("stream", [False, True])
def test_nothing_of_a_passage_is_live_where_a_chat_program_draws_it(hub, serving, notes, stream):
    (notes / "zebra.md").write_text(f"# Zebra\n\nThe zebra budget is 55 dollars. {SEEN}\n", encoding="utf-8")
    assert not ingest([str(notes)]).failed
    with serving() as client:
        asks = client_of(client).chat.completions
        reply = asks.create(model="khub", messages=asked("What is the zebra budget?"), stream=stream)
        text = words(list(reply)) if stream else reply.choices[0].message.content
        cited = asks.create(model="khub", messages=asked("What is the zebra budget?")).choices[0].message.citations
    assert "55 dollars" in text
    assert not live_in(text)
    assert SEEN in cited[0]["text"]  # data stay as they are


def test_nothing_of_a_models_words_is_live_while_they_come(model, serving):
    model.turns = [Pieces(["They wade !", "[z](http://tracker.example/a.png) [", "1]."])]
    with serving() as client:
        text = words(list(client_of(client).chat.completions.create(model="khub", messages=asked(HERONS), stream=True)))
    assert "They wade" in text
    assert not live_in(text)


def live_in(text):
    tokens = [child for token in MarkdownIt("commonmark").parse(text) for child in (token, *(token.children or ()))]
    return [token.type for token in tokens if token.type in ("image", "link_open", "html_inline", "html_block")]
