"""What is done for a client ends when it has gone; what changes something goes on."""

import asyncio
import json

import pytest
from fastapi import FastAPI

from khub.server.access_right import Access
from khub.server.http import timeout
from khub.server.http.middleware import guarded
from khub.server.http.route_access import READS
from khub.server.http.service_options import ServiceOptions
from khub.server.http.tokens import Tokens

pytestmark = pytest.mark.unit
PATIENCE_S = 30


def answered(method: str, path: str, extra: dict | None = None) -> str:
    """Return what becomes of a request whose client leaves while it is worked for."""
    app, became = FastAPI(), "nothing"
    begun = asyncio.Event()

    @app.api_route(path, methods=[method], openapi_extra=extra)
    async def work(body: dict) -> dict:
        nonlocal became
        begun.set()
        try:
            await asyncio.wait_for(asyncio.Event().wait(), 0.5)
        except TimeoutError:
            became = "done"
        except asyncio.CancelledError:
            became = "cancelled"
            raise
        return body

    messages = [{"type": "http.request", "body": json.dumps({}).encode(), "more_body": False}]

    async def receive() -> dict:
        if messages:
            return messages.pop()
        await begun.wait()
        return {"type": "http.disconnect"}

    async def send(_: object) -> None:
        pass

    headers = [(b"host", b"127.0.0.1"), (b"content-type", b"application/json"), (b"authorization", b"Bearer w")]
    scope = {"type": "http", "method": method, "path": path, "raw_path": path.encode(), "query_string": b"",
             "headers": headers, "client": ("127.0.0.1", 1), "server": ("127.0.0.1", 80), "scheme": "http",
             "http_version": "1.1", "root_path": ""}  # fmt: skip

    async def run() -> None:
        service = guarded(app, ServiceOptions(tokens=Tokens(write="w")))
        await service(scope, receive, send)

    asyncio.run(asyncio.wait_for(run(), PATIENCE_S))
    return became


@pytest.mark.parametrize(
    "path", ["/query/run", "/verify", "/verify/run", "/search/images", "/v1/embeddings", "/chat/completions"]
)
def test_a_question_is_given_up(path):
    assert answered("POST", path, READS) == "cancelled"


@pytest.mark.parametrize("method", ["PATCH", "DELETE"])
def test_a_change_is_made(method):
    assert answered(method, "/documents/d") == "done"


@pytest.mark.parametrize(("begins", "statuses"), [(False, [504]), (True, [200])])
def test_an_answer_that_does_not_begin_is_given_up_and_one_that_has_begun_is_not(begins, statuses, monkeypatch):
    monkeypatch.setattr(timeout, "LONGEST_S", 0.01)
    sent = []

    async def receive() -> dict:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: dict) -> None:
        sent.append(message)

    async def answer(_scope: object, receive: object, send: object) -> None:
        if begins:
            await send({"type": "http.response.start", "status": 200, "headers": []})
        await receive()
        await asyncio.sleep(0.1)
        await send({"type": "http.response.body", "body": b"late"})

    scope = {"type": "http", "method": "PATCH", "path": "/documents/d", "state": {"needed": Access.WRITE}}
    asyncio.run(timeout.Timeout(answer, "/mcp")(scope, receive, send))
    assert [message["status"] for message in sent if "status" in message] == statuses
    assert (sent[-1]["body"] == b"late") == begins
