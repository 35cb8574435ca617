"""A server on the loopback that speaks OpenAI's chat API and answers as a script says."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass(frozen=True)
class Calls:
    """A turn in which the model calls tools: (name, arguments) of each."""

    calls: list[tuple[str, dict[str, Any]]]


@dataclass(frozen=True)
class Raw:
    """A turn in which the server answers with this status, body and further headers.

    :param held: what stands behind the first empty line of the body waits for this.
    """

    status: int
    body: str
    headers: dict[str, str] = field(default_factory=dict)
    held: threading.Event | None = None


class Silence:
    """A turn in which the server says nothing until the test is over."""


@dataclass(frozen=True)
class Pieces:
    """A turn that comes in pieces, as a stream of events.

    :param texts: one of each event.
    :param breaks: whether the stream breaks off instead of ending.
    :param held: all but the first piece wait for this.
    """

    texts: list[str]
    breaks: bool = False
    held: threading.Event | None = None


Turn = str | Calls | Raw | Silence | Pieces


@dataclass
class ChatServer:
    """What the server will say, the last turn again and again, and what it has been sent.

    A turn may be a function of the request.
    """

    url: str = ""
    turns: list[Turn | Callable[[dict[str, Any]], Turn]] = field(default_factory=list)
    requests: list[dict[str, Any]] = field(default_factory=list)
    keys: list[str | None] = field(default_factory=list)
    over: threading.Event = field(default_factory=threading.Event)

    def tool_results(self) -> list[str]:
        return [message["content"] for message in self.requests[-1]["messages"] if message["role"] == "tool"]

    def reply(self, request: dict[str, Any]) -> Raw | None:
        """Return what to answer, None where there is no answer."""
        turn = self.turns[min(len(self.requests), len(self.turns)) - 1]
        if callable(turn):
            turn = turn(request)
        if isinstance(turn, Silence):
            self.over.wait(timeout=30)
            return None
        if isinstance(turn, str) and request.get("stream"):
            turn = Pieces([turn])
        if isinstance(turn, Pieces):
            return Raw(200, events(turn), {"Content-Type": "text/event-stream"}, turn.held)
        if isinstance(turn, Raw):
            return turn
        message: dict[str, Any] = {"role": "assistant", "content": turn if isinstance(turn, str) else None}
        if isinstance(turn, Calls):
            message["tool_calls"] = [
                {"id": f"call-{n}", "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}
                for n, (name, arguments) in enumerate(turn.calls)
            ]
        reason = "tool_calls" if isinstance(turn, Calls) else "stop"
        choice = {"index": 0, "message": message, "finish_reason": reason}
        body = {"id": "1", "object": "chat.completion", "created": 1, "model": "scripted", "choices": [choice]}
        return Raw(200, json.dumps(body))


def events(turn: Pieces) -> str:
    """Return the body of a streamed reply."""
    about = {"id": "1", "object": "chat.completion.chunk", "created": 1, "model": "scripted"}
    deltas: list[tuple[dict[str, Any], str | None]] = [({"role": "assistant", "content": t}, None) for t in turn.texts]
    if not turn.breaks:
        deltas.append(({}, "stop"))
    chunks = [{**about, "choices": [{"index": 0, "delta": delta, "finish_reason": end}]} for delta, end in deltas]
    lines = [f"data: {json.dumps(chunk)}\n\n" for chunk in chunks]
    return "".join([*lines, "data: {broken\n\n" if turn.breaks else "data: [DONE]\n\n"])


@contextmanager
def serving() -> Iterator[ChatServer]:
    """Serve until the block is left."""
    script = ChatServer()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            script.requests.append(request)
            script.keys.append(self.headers["Authorization"])
            reply = script.reply(request) if self.path == "/v1/chat/completions" else Raw(404, "{}")
            if reply is None:
                self.close_connection = True
                return
            body = reply.body.encode()
            kind = "application/json" if body[:1] == b"{" else "text/html"
            self.send_response(reply.status)
            for name, value in {"Content-Type": kind, "Content-Length": str(len(body)), **reply.headers}.items():
                self.send_header(name, value)
            with suppress(ConnectionError):  # of a client that has not waited
                self.end_headers()
                first, line, rest = body.partition(b"\n\n")
                self.wfile.write(first + line)
                if reply.held:
                    reply.held.wait(timeout=30)
                self.wfile.write(rest)

        def log_message(self, format: str, *args: Any) -> None: ...  # noqa: A002 - the name is the base class's

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        script.url = f"http://127.0.0.1:{server.server_port}/v1"
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            yield script
        finally:
            script.over.set()
            server.shutdown()
            thread.join()
