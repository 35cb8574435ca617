"""The MCP server over HTTP."""

import pytest
from starlette.testclient import TestClient
from typer.testing import CliRunner

from server.cli import app
from server.mcp.http import http_app
from server.mcp.options import ServerOptions
from server.mcp.server import build_server

pytestmark = pytest.mark.integration

HEADERS = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}
CLIENT = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}


def message(method, request_id=1, **params):
    return {"jsonrpc": "2.0", "id": request_id, "method": method, "params": params}


@pytest.fixture
def client(request):
    token = getattr(request, "param", None)
    application = http_app(build_server(ServerOptions(token=token)), "127.0.0.1")
    with TestClient(application, base_url="http://127.0.0.1:8765") as client:
        yield client


def greet(client, **headers):
    return client.post("/mcp", json=message("initialize", **CLIENT), headers={**HEADERS, **headers})


def test_two_clients_of_both_eras_are_answered_in_json(client, hub):
    reply = greet(client)
    assert reply.headers["content-type"] == "application/json"
    assert reply.json()["result"]["serverInfo"]["name"] == "knowledge-hub"
    old = {**HEADERS, "Mcp-Session-Id": reply.headers["mcp-session-id"], "MCP-Protocol-Version": "2025-11-25"}
    client.post("/mcp", json={"jsonrpc": "2.0", "method": "notifications/initialized"}, headers=old)
    new = {**HEADERS, "MCP-Protocol-Version": "2026-07-28"}
    arguments = {"query": "emergency stop", "collection": "default"}
    call = {"name": "query_knowledge_hub", "arguments": arguments}
    first = client.post("/mcp", json=message("tools/call", 2, **call), headers=old)
    named = {"Mcp-Method": "tools/call", "Mcp-Name": "query_knowledge_hub"}
    second = client.post("/mcp", json=message("tools/call", 2, **call, _meta=META), headers={**new, **named})
    for one in (first, second):
        assert one.headers["content-type"] == "application/json"
        assert "[1]" in one.json()["result"]["content"][0]["text"]


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
