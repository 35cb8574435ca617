"""The MCP server over HTTP."""

import json
import socket
import threading
import time

import httpx
import pytest
from starlette.testclient import TestClient
from typer.testing import CliRunner

from khub.server.cli import app
from khub.server.listening.connection_limits import ConnectionLimits
from khub.server.mcp.http import http_app, http_server
from khub.server.mcp.options import ServerOptions
from khub.server.mcp.server import build_server

pytestmark = pytest.mark.integration

HEADERS = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}
CLIENT = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}


WITHOUT_SESSION = {
    **HEADERS, "MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": "query_knowledge_hub",
}  # fmt: skip


def message(method, request_id=1, **params):
    return {"jsonrpc": "2.0", "id": request_id, "method": method, "params": params}


def until(true, patience_s=20):
    deadline = time.monotonic() + patience_s
    while not true():
        assert time.monotonic() < deadline
        time.sleep(0.01)


@pytest.fixture
def client(request):
    token = getattr(request, "param", None)
    application = http_app(build_server(ServerOptions(token=token)), "127.0.0.1")
    with TestClient(application, base_url="http://127.0.0.1:8765") as client:
        yield client


def greet(client, **headers):
    return client.post("/mcp", json=message("initialize", **CLIENT), headers={**HEADERS, **headers})


def events(reply):
    """The messages in the answer to a POST."""
    assert reply.headers["content-type"].startswith("text/event-stream")
    return [json.loads(line[6:]) for line in reply.text.splitlines() if line.startswith("data: {")]


@pytest.fixture
def in_session(client):
    """The headers of a client of the era with sessions."""
    reply = greet(client)
    [greeting] = events(reply)
    assert greeting["result"]["serverInfo"]["name"] == "knowledge-hub"
    headers = {**HEADERS, "Mcp-Session-Id": reply.headers["mcp-session-id"], "MCP-Protocol-Version": "2025-11-25"}
    client.post("/mcp", json={"jsonrpc": "2.0", "method": "notifications/initialized"}, headers=headers)
    return headers


def ask(client, headers, meta):
    arguments = {"query": "emergency stop", "collection": "default"}
    call = {"name": "query_knowledge_hub", "arguments": arguments, "_meta": meta}
    return client.post("/mcp", json=message("tools/call", 2, **call), headers=headers)


def test_two_clients_of_both_eras_are_told_of_progress_in_the_answer_to_their_request(client, in_session, hub):
    for headers, meta in ((in_session, {}), (WITHOUT_SESSION, META)):
        *told, result = events(ask(client, headers, {**meta, "progressToken": "p"}))
        assert {one["method"] for one in told} == {"notifications/progress"}
        messages = [one["params"]["message"] for one in told]
        assert [one["params"]["progress"] for one in told] == list(range(1, len(told) + 1))
        assert "dense begins" in messages
        assert messages[-1].startswith("answer: ")
        assert (result["id"], "[1]" in result["result"]["content"][0]["text"]) == (2, True)


def test_who_asks_for_no_progress_is_told_of_none(client, in_session, hub):
    [result] = events(ask(client, in_session, {}))
    reply = ask(client, WITHOUT_SESSION, META)
    assert reply.headers["content-type"] == "application/json"
    for one in (result, reply.json()):
        assert "[1]" in one["result"]["content"][0]["text"]


def test_sessions_are_bounded_in_number_and_time(monkeypatch):
    monkeypatch.setattr("khub.server.mcp.http.MOST_SESSIONS", 1)
    monkeypatch.setattr("khub.server.mcp.http.IDLE_S", 0.05)
    with TestClient(http_app(build_server(ServerOptions()), "127.0.0.1"), base_url="http://127.0.0.1:8765") as client:
        assert greet(client).status_code == 200
        statuses = [greet(client).status_code]
        deadline = time.monotonic() + 10
        while statuses[-1] != 200 and time.monotonic() < deadline:
            time.sleep(0.02)
            statuses.append(greet(client).status_code)
        assert (statuses[0], statuses[-1]) == (503, 200)
        assert ask(client, WITHOUT_SESSION, META).status_code == 200  # needs none


@pytest.mark.parametrize("revision", ["2025-11-25", "2026-07-28"])
def test_no_changes_are_announced_since_none_are_told(client, revision):
    if revision == "2025-11-25":
        [reply] = events(greet(client))
    else:
        headers = {**WITHOUT_SESSION, "Mcp-Method": "server/discover"}
        reply = client.post("/mcp", json=message("server/discover", _meta=META), headers=headers).json()
    capabilities = reply["result"]["capabilities"]
    assert {"tools", "prompts", "resources"} <= set(capabilities)
    assert not any(of.get("listChanged") or of.get("subscribe") for of in capabilities.values())


@pytest.mark.parametrize(
    ("headers", "status"),
    [({"Host": "evil.example.org"}, 421), ({"Origin": "http://evil.example.org"}, 403),
     ({"Origin": "http://localhost:3000"}, 200), ({"Host": "localhost:8765"}, 200)],
)  # fmt: skip
def test_pages_from_elsewhere_are_refused(client, headers, status):
    assert greet(client, **headers).status_code == status


@pytest.mark.parametrize("client", ["secret"], indirect=True)
@pytest.mark.parametrize(
    ("headers", "status"),
    [({}, 401), ({"Authorization": "Bearer wrong"}, 401), ({"Authorization": "Basic secret"}, 401),
     ({"Authorization": "Bearer secret"}, 200)],
)  # fmt: skip
def test_token_is_asked_for(client, headers, status):
    reply = greet(client, **headers)
    assert reply.status_code == status
    assert ("www-authenticate" in reply.headers) is (status == 401)


def test_bad_requests_leave_the_server_alive(client):
    for body in (b"no json", b"[]", b"{}", b"\xff", b"x" * 5_000_000):
        assert 400 <= client.post("/mcp", content=body, headers=HEADERS).status_code < 500
    assert greet(client).status_code == 200


def test_other_addresses_are_refused_without_a_token(monkeypatch):
    monkeypatch.delenv("KHUB_TOKEN", raising=False)
    result = CliRunner().invoke(app, ["mcp", "--http", "--host", "0.0.0.0"])
    assert result.exit_code == 1
    assert "KHUB_TOKEN" in result.stderr


def test_clients_that_keep_the_server_waiting_are_put_out_before_their_token_is_looked_at(monkeypatch, hub, caplog):
    limits = ConnectionLimits(header_s=0.3, body_s=0.3, connections=20, connections_of_one=20)
    monkeypatch.setattr("khub.server.mcp.http.LIMITS", limits)
    server = http_server(build_server(ServerOptions()), "127.0.0.1", 0)
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        until(lambda: server.started)
        port = server.servers[0].sockets[0].getsockname()[1]
        begun = b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        accept = b"Accept: application/json, text/event-stream\r\nContent-Length: 100\r\n\r\n{"
        with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=20) as client:
            headers = {**HEADERS, "Mcp-Session-Id": greet(client).headers["mcp-session-id"]}
            with client.stream("GET", "/mcp", headers=headers, timeout=1) as told:  # stands as long as the client
                others = [socket.create_connection(("127.0.0.1", port), timeout=20) for _ in range(40)]
                for one, first in zip(others[20:], [b"", begun, begun + accept] * 6, strict=False):
                    one.sendall(first)
                assert ask(client, WITHOUT_SESSION, META).status_code == 200
                late = [one.recv(12) for one in others[-5:]]
                until(lambda: len(server.server_state.connections) <= 2)
                with pytest.raises(httpx.ReadTimeout):
                    told.read()
        assert b"HTTP/1.1 408" in late
        for one in others:
            one.close()
    finally:
        server.should_exit = True
        thread.join(20)
    assert not [one for one in caplog.records if one.name == "uvicorn.error" and one.levelname == "ERROR"]
