"""A server on the loopback that speaks OpenAI's chat protocol and behaves as a test wants, and chunks to enrich."""

import hashlib
import json
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from haystack import Document
from haystack.components.generators.chat import OpenAIChatGenerator
from haystack.utils import Secret

from khub.components.model_servers import model_server
from khub.components.text.language import detect_language


@dataclass(frozen=True)
class Raw:
    """A reply with this status, body and further headers."""

    status: int = 200
    body: str = "{}"
    headers: dict[str, str] = field(default_factory=dict)


class Silence:
    """No reply, until the test is over."""


class Hangup:
    """The connection is closed without a reply."""


Turn = str | Raw | Silence | Hangup


@dataclass
class ChatServer:
    """What it says (`say`: the prompt -> a turn) and what it has been asked."""

    url: str = ""
    say: Callable[[str], Turn] = lambda prompt: "ok"
    requests: list[dict[str, Any]] = field(default_factory=list)
    over: threading.Event = field(default_factory=threading.Event)
    in_flight: int = 0
    peak: int = 0
    crowd: int = 1
    """Each reply waits until so many requests have been there together."""
    changed: threading.Condition = field(default_factory=threading.Condition)

    def prompts(self) -> list[str]:
        return [text_of(request) for request in self.requests]

    def reply(self, request: dict[str, Any]) -> Turn:
        with self.changed:
            self.requests.append(request)
            self.in_flight += 1
            self.peak = max(self.peak, self.in_flight)
            self.changed.notify_all()
            self.changed.wait_for(lambda: self.peak >= self.crowd, timeout=5)
        try:
            return self.say(text_of(request))
        finally:
            with self.changed:
                self.in_flight -= 1

    def generator(self, **parameters: Any) -> OpenAIChatGenerator:
        key = Secret.from_env_var("ENRICHMENT_TEST_KEY")
        return OpenAIChatGenerator(api_key=key, **{"model": "scripted", "api_base_url": self.url, **parameters})


def text_of(request: dict[str, Any]) -> str:
    content = request["messages"][-1]["content"]
    return content if isinstance(content, str) else next(part["text"] for part in content if part["type"] == "text")


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ChatServer]:
    monkeypatch.setenv("ENRICHMENT_TEST_KEY", "a-key")
    script = ChatServer()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            turn = script.reply(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            if isinstance(turn, Silence):
                script.over.wait(timeout=30)
            if isinstance(turn, Silence | Hangup):
                self.close_connection = True
                return
            if isinstance(turn, str):
                choice = {"index": 0, "message": {"role": "assistant", "content": turn}, "finish_reason": "stop"}
                body = {"id": "1", "object": "chat.completion", "created": 1, "model": "scripted", "choices": [choice]}
                turn = Raw(200, json.dumps(body))
            data = turn.body.encode()
            with suppress(OSError):  # of a client that has not waited
                self.send_response(turn.status)
                for name, value in {"Content-Type": "application/json", **turn.headers}.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

        def log_message(self, format: str, *args: Any) -> None: ...  # noqa: A002 - the name is the base class's

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as http:
        http.daemon_threads = True
        script.url = f"http://127.0.0.1:{http.server_port}/v1"
        thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield script
        finally:
            script.over.set()
            http.shutdown()
            thread.join()


@pytest.fixture(autouse=True)
def _short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(model_server, "SHORTEST_PAUSE_S", 0.1)


def chunks_of(*texts: str, doc_id: str = "manual", **meta: Any) -> list[Document]:
    chunks, at = [], 0
    for ordinal, text in enumerate(texts):
        known = {"doc_id": doc_id, "source": f"/{doc_id}.md", "title": None, "section": "", "page": None}
        known |= {"start": at, "end": at + len(text), "ordinal": ordinal, "language": detect_language(text)}
        chunk_id = hashlib.sha256(f"{doc_id}{ordinal}{text}".encode()).hexdigest()[:32]
        chunks.append(Document(id=chunk_id, content=text, meta={**known, **meta}))
        at += len(text) + 2
    return chunks


@pytest.fixture
def make_chunks() -> Callable[..., list[Document]]:
    return chunks_of


@pytest.fixture
def turns() -> type:
    class Turns:
        raw, silence, hangup = Raw, Silence, Hangup

    return Turns
