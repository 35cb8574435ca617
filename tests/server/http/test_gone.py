"""What is done for a client ends when it has gone; what changes something goes on."""

import asyncio
import json

import pytest
from fastapi import FastAPI

from khub.server.http.answer_limit import AnswerLimit
from khub.server.http.door import Door
from khub.server.http.tokens import Tokens
from khub.server.listening.addresses import allowed_hosts

pytestmark = pytest.mark.unit
PATIENCE_S = 30


def answered(method: str, path: str) -> str:
    """Return what becomes of a request whose client leaves while it is worked for."""
    app, became = FastAPI(), "nothing"
    begun = asyncio.Event()

    @app.api_route(path, methods=[method])
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
        door = Door(app, Tokens(write="w"), allowed_hosts("127.0.0.1", ()))
        await door(scope, receive, send)

    asyncio.run(asyncio.wait_for(run(), PATIENCE_S))
    return became


@pytest.mark.parametrize(
    "path", ["/query/run", "/verify", "/verify/run", "/search/images", "/v1/embeddings", "/chat/completions"]
)
def test_a_question_is_given_up(path):
    assert answered("POST", path) == "cancelled"


@pytest.mark.parametrize("method", ["PATCH", "DELETE"])
def test_a_change_is_made(method):
    assert answered(method, "/documents/d") == "done"


def test_an_answer_that_does_not_begin_is_given_up_and_one_that_has_begun_is_not():
    async def run(begin: bool) -> None:
        async with (limit := AnswerLimit(0.01)):
            if begin:
                limit.lift()
            limit.prolong()
            await asyncio.sleep(0.1)

    with pytest.raises(TimeoutError):
        asyncio.run(run(begin=False))
    asyncio.run(run(begin=True))
