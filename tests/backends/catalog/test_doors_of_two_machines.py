"""Who comes in where, and what is done once, when several servers have one catalog."""

import os
from concurrent.futures import ThreadPoolExecutor

import pytest
from starlette.testclient import TestClient

from khub.components.catalog.catalog import open_catalog
from khub.components.home import at_home
from khub.server.http.app import build_service
from khub.server.http.service_options import ServiceOptions
from khub.server.named_tokens import create_token, read_tokens, revoke_token, tokens_path
from tests.conditions import until
from tests.error_codes import raises_code
from tests.server.http.conftest import BASE, bearer

pytest.importorskip("psycopg_pool", reason="pip install psycopg")
pytest.importorskip("obstore", reason="pip install obstore")
pytestmark = pytest.mark.integration

GREETING = {
    "jsonrpc": "2.0", "id": 1, "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "a", "version": "1"}},
}  # fmt: skip
ACCEPTED = {"Accept": "application/json, text/event-stream"}


@pytest.fixture(autouse=True)
def shared(new_database, in_s3, monkeypatch, converted_here):
    monkeypatch.setenv("KHUB_DATABASE_URL", new_database())
    yield
    from khub.components.catalog.postgres_database import close_all

    close_all()


@pytest.fixture
def machines(tmp_path):
    return tmp_path / "first", tmp_path / "second"


def server(home):
    """A client of a server at a home, which answers within the context that is there."""
    with at_home(home):
        service = build_service(ServiceOptions(runs_jobs=False))
    return TestClient(service, base_url=BASE, raise_server_exceptions=False)


def test_a_token_that_one_machine_makes_lets_in_on_the_other_until_it_is_revoked(machines):
    first, second = machines
    with at_home(first):
        text, token = create_token("alice", write=True)
        with raises_code("name_taken", "alice"):
            create_token("alice")
    assert not (first / "tokens.json").exists()
    with at_home(second):
        client = server(second)
        assert client.get("/collections").status_code == 401
        assert client.get("/collections", headers=bearer(text)).status_code == 200
        assert [one.id for one in read_tokens()] == [token.id]
        revoke_token("alice")
    with at_home(first):
        assert read_tokens() == []
        with raises_code("token_unknown", "alice"):
            revoke_token("alice")
    with at_home(second):
        until(lambda: client.get("/collections", headers=bearer(text)).status_code == 401)


def test_a_token_of_a_machines_own_file_goes_on_there(machines, monkeypatch):
    first, second = machines
    url = os.environ.pop("KHUB_DATABASE_URL")
    with at_home(first):
        create_token("alice")
        assert tokens_path().exists()
        monkeypatch.setenv("KHUB_DATABASE_URL", url)
        create_token("bob")
        assert [one.name for one in read_tokens()] == ["alice", "bob"]
        revoke_token("alice")
    with at_home(second):
        assert [one.name for one in read_tokens()] == ["bob"]


def test_two_requests_with_one_key_to_two_servers_are_one_job(machines, monkeypatch):
    text, _ = create_token("writer", write=True)
    headers = {**bearer(text), "Idempotency-Key": "once"}
    clients = [server(home) for home in machines]

    def send(client, home):
        with at_home(home):
            return client.post("/documents", json={"text": "Herons wade.", "source": "herons.md"}, headers=headers)

    with ThreadPoolExecutor(2) as pool:
        replies = list(pool.map(send, clients, machines))
    assert [reply.status_code for reply in replies] == [202, 202], [reply.text for reply in replies]
    assert len({reply.json()["job_id"] for reply in replies}) == 1
    assert len(open_catalog().jobs.listed()) == 1


def test_a_client_of_mcp_is_answered_by_whichever_server(machines):
    for home in machines:
        with at_home(home), server(home) as client:
            greeted = client.post("/mcp/", json=GREETING, headers=ACCEPTED)
            assert greeted.status_code == 200, greeted.text
            assert "mcp-session-id" not in greeted.headers
            listed = client.post("/mcp/", json={"jsonrpc": "2.0", "id": 2, "method": "tools/list"}, headers=ACCEPTED)
            assert "query_knowledge_hub" in listed.text
