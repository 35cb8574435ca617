"""Clients that keep the server waiting are put out; those that wait for the server are not."""

import contextlib
import socket
import threading
import time
from functools import partial

import pytest
import uvicorn
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse, StreamingResponse
from starlette.routing import Route, WebSocketRoute
from websockets.sync.client import connect

from khub.server.listening.connection_limits import ConnectionLimits
from khub.server.listening.limited_connection import LimitedConnection
from khub.server.listening.open_files import allow_many_open_files

pytestmark = pytest.mark.integration

SHORT = ConnectionLimits(header_s=0.3, body_s=0.4, taking_s=0.5, bytes_a_second=5000)
LONG = ConnectionLimits(header_s=60, body_s=60, taking_s=60, connections=10, connections_of_one=5)
PATIENCE_S = 20
HEAD = b"POST / HTTP/1.1\r\nHost: here\r\n"
BODY = HEAD + b"Content-Length: 100000\r\n\r\n"
GET = b"GET /%s HTTP/1.1\r\nHost: here\r\n\r\n"
LONGER_THAN_ALL_S = 1.5


async def measure(request):
    return PlainTextResponse(str(len(await request.body())))


async def refuse(request):
    return PlainTextResponse("no", 401)


async def stream(request):
    import asyncio

    async def ticks():
        until = time.monotonic() + LONGER_THAN_ALL_S
        while time.monotonic() < until:
            yield "tick\n"
            await asyncio.sleep(0.05)
        yield "end\n"

    return StreamingResponse(ticks())


async def large(request):
    return PlainTextResponse("x" * 50_000_000)


async def repeat(websocket):
    await websocket.accept()
    await websocket.send_text(await websocket.receive_text())
    await websocket.close()


APP = Starlette(routes=[
    Route("/", measure, methods=["POST"]), Route("/refuse", refuse, methods=["POST"]), Route("/stream", stream),
    Route("/large", large), WebSocketRoute("/repeat", repeat),
])  # fmt: skip


@contextlib.contextmanager
def serving(limits):
    config = uvicorn.Config(APP, port=0, log_level="warning", http=partial(LimitedConnection, limits=limits))
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        wait_until(lambda: server.started)
        server.port = server.servers[0].sockets[0].getsockname()[1]
        yield server
    finally:
        server.should_exit = server.force_exit = True
        thread.join(PATIENCE_S)
        assert not thread.is_alive()


def wait_until(true):
    until = time.monotonic() + PATIENCE_S
    while not true():
        assert time.monotonic() < until
        time.sleep(0.01)


def opened(server, first=b""):
    client = socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE_S)
    client.sendall(first)
    return client


def answer(client):
    """All that comes until the server closes."""
    came = b""
    with contextlib.suppress(ConnectionError):
        while part := client.recv(65536):
            came += part
    return came


def drip(client, first, drop):
    """Send, then a drop again and again until the connection is closed; returns what came."""
    came = b""
    until = time.monotonic() + PATIENCE_S
    with contextlib.suppress(ConnectionError):
        client.sendall(first)
        client.settimeout(0.05)
        while time.monotonic() < until:
            with contextlib.suppress(TimeoutError):
                if not (part := client.recv(65536)):
                    return came
                came += part
            client.sendall(drop)
        pytest.fail("the connection still stands")
    return came


def is_answered(server):
    with opened(server, HEAD + b"Content-Length: 2\r\nConnection: close\r\n\r\nhi") as client:
        return answer(client).endswith(b"\r\n\r\n2")


@pytest.mark.parametrize(
    ("first", "drop", "told"),
    [(b"", b"", b""), (HEAD, b"x", b"HTTP/1.1 408 "), (BODY, b"x", b"HTTP/1.1 408 "), (b"", b"\r\n", b""),
     (BODY.replace(b"/", b"/refuse", 1), b"x" * 5000, b"HTTP/1.1 401 "),
     (HEAD + b"Content-Length: 2\r\n\r\nhi", b"\r\n", b"HTTP/1.1 200 ")],
    ids=["silent", "header", "body", "empty lines", "body that was refused", "kept alive"],
)  # fmt: skip
def test_clients_that_keep_the_server_waiting_are_put_out(first, drop, told):
    with serving(SHORT) as server:
        others = [opened(server, first) for _ in range(20)]
        assert is_answered(server)
        with opened(server) as client:
            assert drip(client, first, drop).startswith(told)
        wait_until(lambda: not server.server_state.connections)
        for one in others:
            one.close()


def test_a_connection_is_kept_between_requests_for_longer_than_for_a_header():
    with serving(SHORT) as server, opened(server) as client:
        for _ in range(3):
            client.sendall(HEAD + b"Content-Length: 2\r\n\r\nhi")
            came = b""
            while not came.endswith(b"\r\n\r\n2"):  # the head and the body may come apart
                part = client.recv(65536)
                assert part
                came += part
            assert came.startswith(b"HTTP/1.1 200 ")
            time.sleep(2 * SHORT.header_s)
        client.sendall(HEAD)
        assert answer(client).startswith(b"HTTP/1.1 408 ")


def test_those_who_wait_for_the_server_are_not():
    with serving(SHORT) as server:
        with opened(server, GET % b"stream") as client:
            came = b""
            while b"end\n" not in came:
                part = client.recv(65536)
                assert part
                came += part
        with connect(f"ws://127.0.0.1:{server.port}/repeat") as web_socket:
            with pytest.raises(TimeoutError):
                web_socket.recv(LONGER_THAN_ALL_S)
            web_socket.send("here")
            assert web_socket.recv(PATIENCE_S) == "here"


def test_a_body_may_take_the_time_of_a_slow_line():
    with (
        serving(SHORT) as server,
        opened(server, BODY.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n")) as client,
    ):
        for _ in range(10):
            client.sendall(b"x" * 10_000)
            time.sleep(0.1)
        assert answer(client).endswith(b"\r\n\r\n100000")


def test_an_answer_that_nobody_takes_ends():
    with serving(SHORT) as server, opened(server, GET % b"large"):
        wait_until(lambda: server.server_state.total_requests)
        wait_until(lambda: not server.server_state.connections)


@pytest.mark.parametrize("limits", [LONG, ConnectionLimits(60, 60, 60, connections=5)], ids=["of one", "in all"])
def test_the_slowest_makes_room_and_never_who_waits_for_the_server(limits):
    with serving(limits) as server:
        slow = [opened(server, first) for first in (HEAD, b"", BODY, HEAD, HEAD)]
        wait_until(lambda: len(server.server_state.connections) == 5)
        assert is_answered(server)
        assert answer(slow[0]) == b""
        busy = [opened(server, GET % b"stream") for _ in range(5)]
        assert all(answer(one) == b"" for one in slow[1:])
        assert all(one.recv(12) == b"HTTP/1.1 200" for one in busy)
        with opened(server) as refused:
            assert answer(refused) == b""
        for one in busy:
            while b"end\n" not in one.recv(65536):
                pass
        for one in slow + busy:
            one.close()


def test_a_header_has_a_size():
    with serving(LONG) as server, opened(server) as client:
        assert drip(client, HEAD, b"x" * 10_000).startswith(b"HTTP/1.1 400 ")


def test_few_open_files_are_raised_and_half_of_them_are_for_connections():
    resource = pytest.importorskip("resource")
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (256, before[1]))
        raised = allow_many_open_files()
        assert raised == resource.getrlimit(resource.RLIMIT_NOFILE)[0] > 256
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)
    few = ConnectionLimits().within(256)
    assert (few.connections, few.connections_of_one) == (128, 64)
    assert ConnectionLimits().within(1_000_000) == ConnectionLimits()
