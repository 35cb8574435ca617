"""A service that is not there, or is none, or is not to be trusted with a token: one line, and what to do."""

import socket
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import httpx
import pytest

from khub.components.home import hub_home
from khub.server.remote.failures import refusal
from khub.server.remote.service import _events
from tests.server.remote.conftest import There

pytestmark = pytest.mark.integration


@pytest.fixture
def stranger():
    """A server that answers everything by what it is given, and notes with which token it was asked."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            server.asked.append((self.path, self.headers.get("Authorization")))
            status, headers, body = server.answer
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.asked, server.answer = [], (200, {}, b"")
    server.there = There(f"http://127.0.0.1:{server.server_port}")
    threading.Thread(target=server.serve_forever).start()
    yield server
    server.shutdown()
    server.server_close()


def only_line(done):
    (line,) = done.stderr.splitlines()
    assert line.startswith("khub: ")
    return line


def test_a_service_that_is_not_there():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{free.getsockname()[1]}"
    assert f"{address} cannot be reached" in only_line(There(address).run("list", code=1))
    assert not (hub_home() / "logs").exists()


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ((200, {"Content-Type": "text/html"}, b"<h1>Hello</h1>"), "is no hub"),
        ((200, {"Content-Type": "application/json"}, b'{"documents": []}'), "is no hub"),
        ((200, {"Content-Type": "application/json"}, b"[]"), "is no hub"),
        ((404, {"Content-Type": "text/plain"}, b"no"), "is no hub"),
        ((502, {"Content-Type": "text/html"}, b"<h1>Bad Gateway</h1>"), "502"),
        ((503, {"Content-Type": "application/problem+json", "Retry-After": "5"}, b'{"detail": "busy"}'), "in 5 s"),
        ((404, {"Content-Type": "application/problem+json"}, b'{"detail": 7}'), "is no hub"),
    ],
)
def test_what_is_no_hub_is_told(stranger, answer, said):
    stranger.answer = answer
    assert said in only_line(stranger.there.run("list", code=1))


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_no_redirect_is_followed_with_a_token(stranger, status):
    other = f"http://localhost:{stranger.server_port}/elsewhere"
    stranger.answer = (status, {"Location": other}, b"")
    assert other in only_line(stranger.there.run("list", "-c", "x", code=1))
    assert [(path.partition("?")[0], token) for path, token in stranger.asked] == [("/documents", "Bearer r")]


def test_what_a_service_says_steers_no_terminal(stranger):
    evil = b'{"detail": "x\\u001b[2J\\u202ey", "remedy": "a\\nb"}'
    stranger.answer = (422, {"Content-Type": "application/problem+json"}, evil)
    line = only_line(stranger.there.run("list", code=1))
    assert line.isprintable()
    row = '{"name": "a\\u001b[31m", "documents": 1, "failed": 0, "chunks": 1}'
    stranger.answer = (200, {}, f'{{"collections": [{row}, {row}]}}'.encode())
    assert "\x1b" not in stranger.there.run("list").stdout
    page = '{"collection": "c", "documents": [{"doc_id": "../../x?y", "source": "a/b.md"}], "next_cursor": null}'
    stranger.answer = (200, {}, page.encode())
    stranger.there.run("show", "b.md", code=1)
    assert stranger.asked[-1][0] == "/documents/..%2F..%2Fx%3Fy"


@pytest.mark.parametrize(
    ("tokens", "said"),
    [
        ({"KHUB_TOKEN": "other"}, "KHUB_TOKEN"),
        ({"KHUB_TOKEN": "", "KHUB_WRITE_TOKEN": ""}, "set KHUB_TOKEN"),
        ({"KHUB_TOKEN": "钥匙"}, "KHUB_TOKEN"),
        ({"KHUB_TOKEN": "a b"}, "KHUB_TOKEN"),
    ],
)
def test_a_token_that_is_wrong(there, tokens, said):
    line = only_line(there.run("list", code=1, env=tokens))
    assert said in line
    assert not any(token and token in line for token in tokens.values() if token != "other")


def test_the_write_token_reads_where_there_is_no_other(there):
    there.run("list", env={"KHUB_TOKEN": ""})


def test_a_token_goes_in_clear_only_with_a_word_of_warning(address):
    clear = address.replace("127.0.0.1", "127.1")  # not known as this machine's own
    lines = There(clear).run("list", code=1).stderr.splitlines()
    assert [("in clear" in line, "--allow-host 127.1" in line) for line in lines] == [(True, False), (False, True)]
    without = There(clear).run("list", code=1, env={"KHUB_TOKEN": "", "KHUB_WRITE_TOKEN": ""})
    assert "in clear" not in without.stderr


def test_this_machine_is_asked_directly(stranger, address, monkeypatch):
    monkeypatch.setenv("HTTP_PROXY", stranger.there.address)
    monkeypatch.delenv("NO_PROXY", raising=False)
    monkeypatch.delenv("no_proxy", raising=False)
    There(address).run("list")
    assert stranger.asked == []


@pytest.mark.parametrize(
    "address", ["", "hub.example.com", "ftp://hub", "http://", "http://u:secret@h", "http://h?x=1", "http://h:99999"]
)
def test_what_is_no_address_is_a_mistake_in_the_command_line(address):
    line = only_line(There(address).run("list", code=2))
    assert ("--server" in line, "secret" in line) == (True, False)


@pytest.mark.parametrize(
    ("route", "command"),
    [("GET /collections", "khub list"), ("GET /traces", "khub trace list"), ("type less", "type less")],
)
def test_a_remedy_is_in_the_words_of_the_command(route, command):
    headers = {"content-type": "application/problem+json"}
    reply = httpx.Response(404, headers=headers, json={"detail": "there is none", "remedy": f"see {route}"})
    assert refusal(reply, "http://127.0.0.1", "").remedy == f"see {command}"


@pytest.mark.parametrize("command", ["serve", "doctor", "graph list", "eval run", "mcp", "token list", "chat"])
def test_other_commands_say_which_work(command):
    line = only_line(There("http://127.0.0.1:9").run(*command.split(), code=2))
    assert all(name in line for name in ("query", "ingest", "list", "show", "delete", "trace list", "trace show"))


def test_events_are_taken_apart_however_they_come():
    text = (
        'id: 1\nevent: progress\ndata: {"a": "x\u2028\u0085y"}\n\n: still there\n\nid: 2\nevent: finished\ndata: {}\n\n'
    )
    data = text.encode()
    whole = [("1", "progress", {"a": "x\u2028\u0085y"}), ("", "", {}), ("2", "finished", {})]
    for size in (1, 7, 1000):
        assert list(_events((data[n : n + size] for n in range(0, len(data), size)), "http://h")) == whole
