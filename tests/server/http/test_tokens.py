"""What a token lets its caller see and do, and for how long."""

import json
import threading
from concurrent.futures import ThreadPoolExecutor

import graph_parts
import pytest
from starlette.testclient import TestClient
from typer.testing import CliRunner

from khub.components.catalog.access import Caller, calling_as
from khub.components.catalog.catalog import open_catalog
from khub.components.errors import KhubError
from khub.components.home import hub_home
from khub.server import named_tokens
from khub.server.cli import app as khub
from khub.server.http.app import build_service
from khub.server.http.audit_log import audit_path
from khub.server.http.service_options import ServiceOptions
from khub.server.http.tokens import Tokens
from khub.server.named_tokens import create_token, revoke_token, tokens_path
from khub.server.traces.index import find_trace, read_traces
from tests.server.http.conftest import BASE, bearer
from tests.server.http.test_graph_routes import HERONS, finding_by, until

pytestmark = pytest.mark.integration

ASKED = "What do herons eat at the quiet lake?"
MCP = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}


def found(client, token, **body):
    reply = client.post("/query/run", json={"query": ASKED, **body}, headers=bearer(token))
    return reply.status_code, sorted({one["source"].rpartition("/")[2] for one in reply.json().get("citations", ())})


@pytest.mark.usefixtures("two_collections")
def test_a_token_sees_its_collections_and_levels_alone(serving):
    limited, _ = create_token("limited", collections=["open"], levels=["public"])
    everything, _ = create_token("all")
    with serving() as client:
        assert found(client, limited) == (200, ["open-public.md"])
        assert found(client, limited, collection="shut")[0] == 422
        assert found(client, everything, collection="shut") == (200, ["shut-public.md", "shut-secret.md"])
        assert client.get("/graphs").status_code == 401  # from the first token on


@pytest.mark.usefixtures("two_collections")
def test_the_environment_is_the_ceiling_of_a_token(serving, monkeypatch):
    secret, _ = create_token("s", collections=["open"], levels=["secret"])
    both, _ = create_token("b", collections=["open"], levels=["secret", "public"])
    monkeypatch.setenv("KHUB_ACCESS", "public")
    with serving() as client:
        assert found(client, both) == (200, ["open-public.md"])
        assert found(client, secret)[0] == 422  # for it there is no collection


@pytest.mark.usefixtures("two_collections")
def test_callers_who_ask_at_once_are_not_mixed_up(serving):
    public, _ = create_token("p", collections=["open"], levels=["public"])
    secret, _ = create_token("s", collections=["shut"], levels=["secret"])
    wanted = {public: (200, ["open-public.md"]), secret: (200, ["shut-secret.md"])}
    with serving() as client, ThreadPoolExecutor(8) as clients:
        tokens = [public, secret] * 16
        assert list(clients.map(lambda token: found(client, token), tokens)) == [wanted[token] for token in tokens]


@pytest.mark.usefixtures("two_collections")
def test_traces_are_seen_by_who_asked_and_by_who_sees_all(serving):
    limited, about = create_token("limited", collections=["open"])
    _, other_about = create_token("other", collections=["open"])
    with serving() as client:
        trace_id = client.post("/query/run", json={"query": ASKED}, headers=bearer(limited)).json()["trace_id"]
    assert find_trace(trace_id)["caller"] == f"limited.{about.id}"
    with calling_as(about.caller()):
        assert find_trace(trace_id)
    for who in (other_about.caller(), Caller("x", levels=("public",)), Caller("", collections=frozenset({"open"}))):
        with calling_as(who):
            assert find_trace(trace_id) is None
            assert not read_traces(10, "query")


def test_under_a_ceiling_a_token_knows_its_own_runs_alone(monkeypatch):
    monkeypatch.setenv("KHUB_ACCESS", "public")
    assert not Caller("KHUB_TOKEN").may_know("")
    assert Caller("KHUB_TOKEN").may_know("KHUB_TOKEN")
    assert Caller().may_know("KHUB_TOKEN")  # who runs the process


def greeting(client, token):
    ask = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}}  # fmt: skip
    reply = client.post("/mcp", json=ask, headers={**MCP, **bearer(token)})
    return {**MCP, "Mcp-Session-Id": reply.headers["mcp-session-id"], "MCP-Protocol-Version": "2025-11-25"}


def listed(client, headers):
    call = {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "list_collections", "arguments": {}}}
    return client.post("/mcp", json=call, headers=headers)


@pytest.mark.usefixtures("two_collections")
def test_a_session_of_mcp_belongs_to_its_token(serving):
    one, _ = create_token("one", collections=["open"])
    two, _ = create_token("two", collections=["shut"])
    with serving() as client:
        sessions = {token: greeting(client, token) for token in (one, two)}
        for token, there, not_there in ((one, '"open"', '"shut"'), (two, '"shut"', '"open"')):
            text = listed(client, {**sessions[token], **bearer(token)}).text.replace("\\", "")
            assert there in text
            assert not_there not in text
        assert listed(client, {**sessions[one], **bearer(two)}).status_code == 404


@pytest.mark.usefixtures("hub")
def test_a_token_ends_when_it_is_revoked_or_its_time_is_over(serving, monkeypatch):
    gone, _ = create_token("gone")
    late, _ = create_token("late", days=1)
    kept, _ = create_token("kept")
    with serving() as client:
        assert found(client, gone)[0] == found(client, late)[0] == 200
        revoke_token("gone")
        assert found(client, gone)[0] == 401
        monkeypatch.setattr(named_tokens.NamedToken, "has_expired", lambda self: self.expires is not None)
        assert found(client, late)[0] == 401
        assert found(client, kept)[0] == 200


@pytest.mark.usefixtures("hub")
def test_the_last_token_that_is_revoked_opens_nothing(serving):
    create_token("last")
    with serving(host="0.0.0.0") as client:
        assert client.get("/documents").status_code == 401
        revoke_token("last")
        assert client.get("/documents").status_code == 401
        tokens_path().unlink()
        assert client.get("/documents").status_code == 401


@pytest.mark.usefixtures("hub")
def test_who_guesses_a_token_that_writes_has_to_wait_where_everybody_reads(serving):
    with serving(None, "w") as client:
        guesses = [client.delete("/documents/x", headers=bearer(f"guess{n}")).status_code for n in range(70)]
        assert guesses[0] == 401
        assert guesses[-1] == 429
        assert client.delete("/documents/x", headers=bearer("w")).status_code == 404


@pytest.mark.usefixtures("hub")
def test_tokens_that_cannot_be_read_let_nobody_in(serving):
    token, _ = create_token("a")
    with serving() as client:
        tokens_path().write_text("{")
        assert found(client, token)[0] == 503
        assert client.get("/graphs").status_code == 503
        assert client.get("/healthz").status_code == 200


@pytest.mark.usefixtures("hub")
def test_only_a_token_that_may_write_writes(serving):
    reads, _ = create_token("reads")
    writes, _ = create_token("writes", write=True, collections=["mine"])
    with serving(roots=(hub_home().parent,)) as client:
        note = hub_home().parent / "new.md"
        note.write_text("# New\n\nSomething new.\n")
        body = {"sources": [str(note)], "collection": "mine"}
        assert client.post("/ingest/run", json=body, headers=bearer(reads)).status_code == 403
        assert client.post("/ingest/run", json=body, headers=bearer(writes)).status_code == 200
        elsewhere = client.post("/ingest/run", json={**body, "collection": "default"}, headers=bearer(writes))
        assert elsewhere.status_code == 422


@pytest.mark.usefixtures("hub")
def test_who_writes_for_one_level_does_not_replace_what_is_closed(serving):
    public, _ = create_token("public", write=True, collections=["mine"], levels=["public"])
    everything, _ = create_token("all", write=True)

    def send(client, token, name, level):
        sent = {"source": name, "text": f"# Note\n\nA note of {level}.\n", "collection": "mine"}
        reply = client.post("/documents", json={**sent, "meta": {"access_level": level}}, headers=bearer(token))
        if reply.status_code != 202:
            return reply.status_code
        address = reply.headers["location"]
        until(lambda: client.get(address, headers=bearer(token)).json()["state"] == "finished", 60)
        return 202

    with serving() as client:
        assert send(client, everything, "plan.md", "secret") == 202
        kept = next((hub_home() / "uploads").rglob("plan.md"))
        for level, status in (("secret", 422), ("public", 403)):  # neither is it told whether the text is the same
            assert send(client, public, "plan.md", level) == status
        assert "secret" in kept.read_text()
        assert send(client, public, "own.md", "public") == 202
        assert send(client, public, "own.md", "public") == 202
        assert send(client, everything, "plan.md", "public") == 202


@pytest.mark.usefixtures("two_collections")
def test_no_route_deletes_a_document_of_which_a_part_is_closed(serving):
    limited, _ = create_token("limited", write=True, collections=["open"], levels=["public"])
    with serving() as client:
        listed_there = client.get("/documents", params={"collection": "open"}, headers=bearer(limited)).json()
        doc_id = listed_there["documents"][0]["doc_id"]
        close_a_part(doc_id)
        assert client.delete(f"/documents/{doc_id}", headers=bearer(limited)).status_code == 403
        params = {"name": "delete_document", "arguments": {"doc_id": doc_id}}
        call = {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": params}
        told = client.post("/mcp", json=call, headers={**greeting(client, limited), **bearer(limited)}).text
        assert '"isError":true' in told
        assert client.get(f"/documents/{doc_id}", headers=bearer(limited)).status_code == 200


def close_a_part(doc_id):
    """Give a document a second passage, of level secret."""
    with open_catalog().database.transaction() as connection:
        (row,) = connection.execute("SELECT * FROM chunks WHERE doc_id = ?", (doc_id,)).fetchall()
        meta = {**json.loads(row["meta"]), "access_level": "secret"}
        closed = {**dict(row), "chunk_id": "closed", "ordinal": 1, "meta": json.dumps(meta)}
        marks = ", ".join(f":{name}" for name in closed)
        names = ", ".join(f'"{name}"' for name in closed)
        connection.execute(f"INSERT INTO chunks ({names}) VALUES ({marks})", closed)


@pytest.mark.usefixtures("hub")
def test_who_guesses_or_asks_too_often_is_told_to_wait():
    service = build_service(ServiceOptions(tokens=Tokens("r"), rate="3/minute"))
    with TestClient(service, base_url=BASE) as client:
        replies = [client.get("/graphs", headers=bearer("r")) for _ in range(4)]
        assert [reply.status_code for reply in replies] == [200, 200, 200, 429]
        assert 0 < int(replies[-1].headers["retry-after"]) <= 60
        guesses = [client.get("/graphs", headers=bearer(f"guess{n}")).status_code for n in range(70)]
        assert guesses[0] == 401
        assert guesses[-1] == 429
        assert client.get("/healthz").status_code == 200


@pytest.mark.usefixtures("hub")
def test_too_many_at_once_are_told_to_come_again(write_graph, monkeypatch):
    write_graph("slow", finding_by("Block", "{}"))
    graph_parts.STARTED.clear()
    graph_parts.RELEASE.clear()
    monkeypatch.setattr("khub.server.http.concurrency_limit.AT_ONCE", 1)
    service = build_service(ServiceOptions())
    with TestClient(service, base_url=BASE) as client:
        first = []
        asking = threading.Thread(target=lambda: first.append(client.post("/slow/run", json=HERONS).status_code))
        asking.start()
        assert graph_parts.STARTED.wait(20)
        assert client.get("/graphs").status_code == 503
        assert client.get("/healthz").status_code == 200
        graph_parts.RELEASE.set()
        asking.join(20)
        assert first == [200]
        assert client.get("/graphs").status_code == 200


@pytest.mark.usefixtures("hub")
def test_the_audit_log_says_who_asked_for_what(serving):
    token, about = create_token("alice")
    with serving() as client:
        client.get("/graphs?secret=1", headers=bearer(token))
        client.get("/graphs", headers=bearer("wrong"))
        client.get("/healthz")
    lines = [json.loads(line) for line in audit_path().read_text().splitlines()]
    seen = [(line["who"], line["method"], line["path"], line["status"]) for line in lines]
    assert seen == [(f"alice.{about.id}", "GET", "/graphs", 200), ("", "GET", "/graphs", 401)]
    assert all(line["time"] and line["from"] for line in lines)
    assert audit_path().stat().st_mode & 0o077 == 0


def test_the_command_makes_lists_and_revokes(fixed_graphs):
    run = CliRunner()
    made = run.invoke(khub, ["token", "create", "bob", "--collection", "a", "--days", "3"])
    text = made.stdout.strip()
    assert text.startswith(named_tokens.PREFIX)
    assert text not in tokens_path().read_text()
    assert tokens_path().stat().st_mode & 0o077 == 0
    listed_ = run.invoke(khub, ["token", "list"]).stdout
    assert "bob" in listed_
    assert text not in listed_
    assert isinstance(run.invoke(khub, ["token", "create", "bob"]).exception, KhubError | SystemExit)
    assert run.invoke(khub, ["token", "revoke", "bob"]).exit_code == 0
    assert "bob" not in run.invoke(khub, ["token", "list"]).stdout
