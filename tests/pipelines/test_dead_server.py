"""Shipped graphs whose model's server accepts connections and never answers: that costs its time once."""

import json
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
import yaml

from khub.components.answer import Answer
from khub.components.model_servers import model_server
from khub.server.library.ingest import ingest
from khub.server.questions.ask import ask
from tests.components.parts.toy_embedders import vector_of
from tests.eval.examples.chat_server import ChatServer, Raw, Silence
from tests.pipelines.conftest import Graph, generators, limit, parameters
from tests.server.hub_files import changes

pytestmark = pytest.mark.integration

QUESTION = "How long does the battery of the Ember robot last?"
LIMIT_S = 1.0
MARGIN_S = 0.8
PATIENCE_S = 20
STAGES = {"standalone", "route", "expand", "order", "again", "generate"}


def says(request: dict[str, Any]) -> str:
    prompt = str(request["messages"][-1]["content"])
    if "n_expansions" in prompt or '"queries"' in prompt:
        return '{"queries": ["accumulator"]}'
    if "Rank passages" in prompt:
        return '{"documents": [{"index": 1}]}'
    if '"intent"' in prompt:
        return '{"intent": "search", "confidence": 0.9, "sides": [], "reply": ""}'
    return "Eleven hours [1]." if "passage [1]" in prompt else QUESTION


@pytest.fixture
def graph(change: Callable[..., str], model: ChatServer) -> str:
    """The graph of `more/ask` over that of `more/query_llm`, with one more ranker: six stages ask this server."""

    def searching(data: Graph) -> None:
        inner = changes(data)
        parameters(inner, "route")["timeout_s"] = LIMIT_S
        inner["components"]["again"] = inner["components"]["order"]
        inner["connections"] += [
            {"sender": "gloss.question", "receiver": "again.question"},
            {"sender": "order.documents", "receiver": "again.documents"},
            {"sender": "again.documents", "receiver": "select.documents"},
        ]
        inner["connections"].remove({"sender": "order.documents", "receiver": "select.documents"})
        for name in ("expand", "order", "again"):
            limit(inner, name, LIMIT_S)

    def asking(data: Graph) -> None:
        parameters(data, "search")["graph"] = "more/query_llm"
        for name in ("standalone", "generate"):
            parameters(data, name)["timeout_s"] = LIMIT_S

    def here(how: Callable[[Graph], None]) -> Callable[[Graph], None]:
        def changed(data: Graph) -> None:
            how(data)
            for generator in generators(data):
                generator["api_base_url"] = model.url

        return changed

    change("more/query_llm", here(searching))
    return change("more/ask", here(asking))


def asked(graph: str) -> tuple[Answer, float]:
    begun = time.monotonic()
    answer = ask(QUESTION, "docs", graph, more={"history": ["What is the Ember robot?"]})
    return answer, time.monotonic() - begun


def test_a_server_that_hangs_costs_a_question_one_time_limit_and_the_next_ones_none(
    graph: str, model: ChatServer
) -> None:
    model.turns = [says]
    answer, _ = asked(graph)  # everything is loaded now
    assert (answer.degraded, answer.generated) == ([], True)
    _, normal = asked(graph)
    model.turns, before = [Silence()], len(model.requests)

    answer, first = asked(graph)
    assert first <= LIMIT_S + normal + MARGIN_S
    assert len(model.requests) == before + 1
    reasons = {entry.stage: entry.reason for entry in answer.degraded}
    assert set(reasons) == STAGES
    assert f"no answer from the server at {urlsplit(model.url).netloc} in {LIMIT_S:g} s: " in reasons.pop("standalone")
    assert all("not asked: the server at 127.0.0.1:" in reason for reason in reasons.values())
    assert answer.citations
    assert not answer.generated

    answer, second = asked(graph)
    assert second <= normal + MARGIN_S
    assert len(model.requests) == before + 1
    assert {entry.stage for entry in answer.degraded if "s ago" in entry.reason} == STAGES

    model.turns = [says]
    for server in model_server._servers.values():
        server._not_asked_before = time.monotonic()  # the pause is over
    answer, _ = asked(graph)
    assert (answer.degraded, answer.generated) == ([], True)


def test_a_server_that_asks_to_wait_is_not_asked_by_the_other_stages(graph: str, model: ChatServer) -> None:
    model.turns = [Raw(429, "{}", {"Retry-After": "120"})]
    answer, _ = asked(graph)
    assert len(model.requests) == 1
    waiting = {entry.stage for entry in answer.degraded if "not asked: " in entry.reason}
    assert waiting == STAGES - {"standalone"}


class EmbeddingServer:
    """Embeds by bags of words, until it is told to hang."""

    def __init__(self) -> None:
        self.asked = 0
        self.hangs = False
        self.over = threading.Event()


@pytest.fixture
def embedding() -> Iterator[tuple[EmbeddingServer, str]]:
    state = EmbeddingServer()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            state.asked += 1
            if state.hangs:
                state.over.wait(PATIENCE_S)
                self.close_connection = True
                return
            texts = request["input"] if isinstance(request["input"], list) else [request["input"]]
            data = [{"object": "embedding", "index": n, "embedding": vector_of("m", t)} for n, t in enumerate(texts)]
            usage = {"prompt_tokens": 7, "total_tokens": 7}
            body = json.dumps({"object": "list", "model": "m", "data": data, "usage": usage}).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None: ...  # noqa: A002 - the name is the base class's

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as http:
        http.daemon_threads = True
        thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        yield state, f"http://127.0.0.1:{http.server_port}/v1"
        state.over.set()
        http.shutdown()
        thread.join()


def test_an_embedding_server_that_hangs_costs_its_time_once(
    embedding: tuple[EmbeddingServer, str], change: Callable[..., str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    server, url = embedding
    monkeypatch.setenv("KHUB_HOME", str(tmp_path / "hub"))
    monkeypatch.setenv("EMBEDDING_API_KEY", "a-key")
    monkeypatch.setenv("KHUB_SECRETS", "EMBEDDING_API_KEY@127.0.0.1")
    change("ingest", lambda graph: parameters(graph, "embed").update(embedder=openai_embedder(url)))
    change("query", lambda graph: limit(graph, "dense", LIMIT_S))
    file = tmp_path / "ember.md"
    file.write_text("# Ember\n\nThe battery of the Ember robot lasts eleven hours on one charge.\n", encoding="utf-8")
    assert ingest([str(file)], "docs").failed == []
    assert ask(QUESTION, "docs").degraded == []
    server.hangs, before = True, server.asked

    for most, reason in (
        (LIMIT_S + MARGIN_S, f"{urlsplit(url).netloc} in {LIMIT_S:g} s: see"),
        (MARGIN_S, "not asked: the server at"),
    ):
        begun = time.monotonic()
        answer = ask(QUESTION, "docs")
        assert time.monotonic() - begun <= most + MARGIN_S
        assert [(e.stage, reason in e.reason) for e in answer.degraded] == [("dense", True)]
        assert answer.citations
    assert server.asked == before + 1


def openai_embedder(url: str) -> Graph:
    return yaml.safe_load(f"""
        type: haystack.components.embedders.openai_document_embedder.OpenAIDocumentEmbedder
        init_parameters:
          api_key: {{type: env_var, env_vars: [EMBEDDING_API_KEY], strict: true}}
          api_base_url: {url}
          model: my-model
          progress_bar: false
    """)
