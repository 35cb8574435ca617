import json
import time

import pytest

from khub.eval.bench.mcp.client import Client, ServerGoneError
from khub.eval.bench.mcp.report import ROWS

pytestmark = pytest.mark.unit
SERVER = """
import json, sys
for line in sys.stdin:
    message = json.loads(line)
    number = message.get("id")
    reply = json.dumps({"jsonrpc": "2.0", "id": number, "result": {}})
    for out in {"twice": [reply, reply], "print": ["hello", reply], "half": ['{"id": 1}', reply], "mute": [],
                "bad": [json.dumps({"jsonrpc": "2.0", "id": number, "error": {"code": -1}})],
                "leave": []}.get(message["method"], [reply]):
        print(out, flush=True)
    if message["method"] == "leave":
        break
"""


@pytest.fixture
def server(tmp_path):
    running = Client(tmp_path / "home", (), ("-c", SERVER))
    yield running
    running.close()


def test_a_server_that_keeps_the_protocol(server):
    for _ in range(5):
        assert server.ask("ok") == {}
    server.close()
    assert (server.lines, server.bad_lines, server.owed(), server.duplicates()) == (5, [], 0, 0)


@pytest.mark.parametrize(("method", "line"), [("print", "hello\n"), ("half", '{"id": 1}\n')])
def test_a_line_that_is_no_message_is_kept(server, method, line):
    server.ask(method)
    assert server.bad_lines == [line]


def test_a_reply_that_comes_twice_is_counted(server):
    server.ask("twice")
    server.close()
    assert server.duplicates() == 1


def test_a_reply_that_never_comes_is_owed(server):
    server.start("mute")
    server.ask("ok")
    assert server.owed() == 1


def test_a_server_that_leaves_owes_nothing_more_but_says_so(server):
    future = server.start("leave")
    with pytest.raises(ServerGoneError):
        future.result(30)


def test_an_error_is_raised(server):
    with pytest.raises(RuntimeError, match="-1"):
        server.ask("bad")


def test_the_handshake_is_timed_from_the_start(server):
    before = time.perf_counter()
    assert server.initialize() > 0
    assert server.spawned < before


def test_each_row_shows_what_its_measurement_gives():
    results = {
        "latency": {
            "graph": "query",
            "chunks": 9, "queries": 8, "in_process_p50_ms": 7, "stdio_p50_ms": 6, "stdio_p99_ms": 5, "added_p50_ms": 4
        },
        "vanish": {"SIGTERM in a job": {"gone_s": 0.1, "stayed": 1, "whole": False}, "load": 3.0},
    }  # fmt: skip
    shown = {name: ROWS[name][2](json.loads(json.dumps(result))) for name, result in results.items()}
    assert shown["latency"] == "p50 6 ms against 7 ms: 4 ms more (query, 9 chunks, 8 questions; p99 5 ms)"
    assert shown["vanish"] == "SIGTERM in a job: 0.1 s, 1 stayed, NOT whole again"
