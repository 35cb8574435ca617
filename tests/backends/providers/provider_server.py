"""A local server in the place of a provider: strict about what it takes, and able to fail."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, ClassVar

from tests.backends.providers.model import says

KEY = "right-key-4b1d9c20e7"


@dataclass(frozen=True)
class Asked:
    """A request that was let in.

    :param headers: names in lower case.
    """

    path: str
    headers: dict[str, str]
    body: dict[str, Any]


@dataclass(frozen=True)
class Answer:
    """What comes back.

    :param breaks: whether the connection ends before the body does.
    """

    status: int
    body: bytes
    kind: str = "application/json"
    headers: dict[str, str] = field(default_factory=dict)
    breaks: bool = False


class RefusalError(Exception):
    """The provider refuses a request."""

    def __init__(self, status: int, message: str = "") -> None:
        super().__init__(status, message)
        self.status, self.message = status, message


class Provider:
    """What all providers have in common; each protocol is a class of its own.

    `fails` is a status to answer with in place of an answer, `breaks` lets a stream break off, `says` is the model.
    """

    keyless: ClassVar[bool] = False
    models: ClassVar[tuple[str, ...]] = ()
    """Those that it has; none for a server that takes any name."""

    def __init__(self) -> None:
        self.address = ""
        self.asked: list[Asked] = []
        self.refused: list[int] = []
        self.fails, self.breaks = 0, False
        self.says: Callable[..., str] = says

    def routes(self) -> dict[str, Callable[[Asked], Answer]]:
        """Return path -> what answers there."""
        raise NotImplementedError

    def key_of(self, headers: dict[str, str]) -> str:
        """Return the key that a request brings."""
        return headers.get("authorization", "").removeprefix("Bearer ")

    def refusal(self, status: int, message: str, key: str) -> dict[str, Any]:
        """Return the body of a refusal, as this provider writes it."""
        raise NotImplementedError

    def answer(self, path: str, headers: dict[str, str], body: bytes) -> Answer:
        key = self.key_of(headers)
        try:
            if path not in self.routes():
                raise RefusalError(404, f"no such path: {path}")
            if not self.keyless and key != KEY:
                raise RefusalError(401)
            asked = Asked(path, headers, json.loads(body or b"{}"))
            if self.fails:
                raise RefusalError(self.fails)
            answer = self.routes()[path](asked)
        except RefusalError as error:
            self.refused.append(error.status)
            wait = {"Retry-After": "1"} if error.status == 429 else {}
            return Answer(error.status, as_json(self.refusal(error.status, error.message, key)), headers=wait)
        self.asked.append(asked)
        return answer

    def check_model(self, model: str, status: int = 404) -> None:
        if self.models and model not in self.models:
            raise RefusalError(status, f"The model `{model}` does not exist or you do not have access to it.")


def check_fields(body: dict[str, Any], known: set[str], needed: set[str], status: int = 400) -> None:
    """Refuse a request with fields that the provider's reference does not name, or without some that it wants."""
    for name in sorted(set(body) - known):
        raise RefusalError(status, f"Unrecognized request argument supplied: {name}")
    for name in sorted(needed - set(body)):
        raise RefusalError(status, f"{name}: Field required")


def as_json(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode()


def tokens(text: str) -> int:
    return len(text.split())


def vector(text: str) -> list[float]:
    """A vector that says which words a text has."""
    made = [0.01] * 32
    for word in text.lower().split():
        made[sum(word.encode()) % 32] += 1.0
    return made


@contextmanager
def serving(provider: Provider) -> Iterator[Provider]:
    """Serve until the block is left."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            headers = {name.lower(): value for name, value in self.headers.items()}
            answer = provider.answer(self.path, headers, body)
            length = len(answer.body) + (100 if answer.breaks else 0)
            self.send_response(answer.status)
            for name, value in {"Content-Type": answer.kind, "Content-Length": str(length), **answer.headers}.items():
                self.send_header(name, value)
            with suppress(ConnectionError):  # of a client that has not waited
                self.end_headers()
                self.wfile.write(answer.body)
            self.close_connection = self.close_connection or answer.breaks

        def do_GET(self) -> None:
            self.do_POST()

        def log_message(self, format: str, *args: Any) -> None: ...  # noqa: A002 - the name is the base class's

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        provider.address = f"http://127.0.0.1:{server.server_port}"
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            yield provider
        finally:
            server.shutdown()
            thread.join()
