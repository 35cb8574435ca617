"""Who gets in, to which route, and what everybody is told."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from limits import parse
from typer.testing import CliRunner

from khub.components.errors import KhubError
from khub.components.home import hub_home
from khub.server.cli import app as khub
from khub.server.http.app import build_app
from khub.server.http.routes import all_routes
from khub.server.http.service_options import ServiceOptions
from khub.server.http.tokens import Tokens
from tests.server.http.conftest import bearer

pytestmark = pytest.mark.integration

OPEN, READ, WRITE, CLOSED, CODE = "open", "read", "write", "closed", "code"
ROUTES = {
    ("GET", "/healthz"): OPEN,
    ("GET", "/readyz"): OPEN,
    ("GET", "/openapi.json"): READ,
    ("GET", "/docs"): READ,
    ("GET", "/graphs"): READ,
    ("GET", "/graphs/{name:path}"): READ,
    ("GET", "/graphs/{name:path}/mermaid"): READ,
    ("POST", "/{name:path}/run"): READ,  # of graphs that ingest: WRITE, in test_graph_routes
    ("GET", "/documents"): READ,
    ("GET", "/documents/{doc_id}"): READ,
    ("GET", "/documents/{doc_id}/sections"): READ,
    ("GET", "/documents/{doc_id}/chunks"): READ,
    ("GET", "/documents/{doc_id}/markdown"): READ,
    ("GET", "/documents/{doc_id}/original"): READ,
    ("PATCH", "/documents/{doc_id}"): WRITE,
    ("DELETE", "/documents/{doc_id}"): WRITE,
    ("POST", "/retrieval"): READ,
    ("GET", "/api/v1/knowledge/{id}"): READ,
    ("GET", "/api/v1/knowledge/{id}/files"): READ,
    ("POST", "/api/v1/knowledge/{id}/sync/diff"): READ,
    ("POST", "/api/v1/knowledge/{id}/sync/cleanup"): WRITE,
    ("POST", "/api/v1/knowledge/{id}/reset"): WRITE,
    ("POST", "/api/v1/files/"): WRITE,
    ("POST", "/mcp"): READ,
    ("DELETE", "/mcp"): READ,
    ("GET", "/collections"): READ,
    ("POST", "/collections"): WRITE,
    ("GET", "/collections/{name}"): READ,
    ("DELETE", "/collections/{name}"): WRITE,
    ("GET", "/images/{image_id}"): READ,
    ("GET", "/pages/{doc_id}/{page}.png"): READ,
    ("POST", "/search/images"): READ,
    ("GET", "/traces"): READ,
    ("GET", "/traces/{trace_id}"): READ,
    ("POST", "/feedback"): READ,
    ("GET", "/metrics"): READ,
    ("POST", "/documents"): WRITE,
    ("POST", "/collections/{name}/reindex"): WRITE,
    ("GET", "/sources"): READ,
    ("POST", "/sources/{key}/sync"): WRITE,
    ("GET", "/jobs"): READ,
    ("GET", "/jobs/{job_id}"): READ,
    ("DELETE", "/jobs/{job_id}"): WRITE,
    ("GET", "/jobs/{job_id}/events"): READ,
    ("GET", "/models"): READ,
    ("GET", "/v1/models"): READ,
    ("GET", "/models/{model:path}"): READ,
    ("GET", "/v1/models/{model:path}"): READ,
    ("POST", "/embeddings"): READ,
    ("POST", "/v1/embeddings"): READ,
    ("POST", "/chat/completions"): READ,
    ("POST", "/v1/chat/completions"): READ,
    ("POST", "/responses"): READ,
    ("POST", "/v1/responses"): READ,
    ("POST", "/completions"): READ,
    ("POST", "/v1/completions"): READ,
    ("POST", "/files"): CLOSED,
    ("POST", "/v1/files"): CLOSED,
    ("GET", "/status"): CODE,
    ("GET", "/status/{pipeline_name}"): CODE,
    ("GET", "/draw/{pipeline_name}"): CODE,
    ("POST", "/deploy_files"): CODE,
    ("POST", "/deploy-yaml"): CODE,
    ("POST", "/undeploy/{pipeline_name}"): CODE,
}


def test_every_route_has_a_rule():
    found = {
        (method, route.path)
        for route in all_routes(build_app(ServiceOptions(allow_deploy=True)).routes)
        for method in (getattr(route, "methods", None) or {"POST"}) - {"HEAD"}
    }
    assert found == {route for route, rule in ROUTES.items() if rule != CLOSED}


@pytest.mark.parametrize("allow_deploy", [False, True])
def test_each_route_answers_who_may_use_it_alone(hub, serving, allow_deploy, monkeypatch):
    monkeypatch.setattr("khub.server.http.rate_limit.REFUSED", parse("100000/minute"))
    let_in = {OPEN: "-rw", READ: "rw", WRITE: "w", CLOSED: "", CODE: "w" if allow_deploy else ""}
    with serving("r", "w", allow_deploy=allow_deploy) as client:
        for (method, path), rule in ROUTES.items():
            if (method, rule) == ("GET", CODE) and allow_deploy and path.startswith("/draw"):
                continue  # it would talk to another site
            for who in "-xrw":
                url = re.sub(r"\{[^}]+\}", "query" if rule != CODE else "query%0A", path)
                reply = client.request(method, url, headers=bearer(who if who != "-" else ""))
                refused = reply.status_code in (401, 403) or "no such route" in reply.text
                asked = (method, path, who, reply.status_code)
                assert refused != (who.replace("x", "-") in let_in[rule]), asked
                if who in "-x" and rule != OPEN:
                    assert (reply.status_code, "www-authenticate" in reply.headers) == (401, True), asked
                assert reply.headers["x-content-type-options"] == "nosniff"
                assert reply.status_code != 500, asked


def test_no_name_of_a_thing_makes_its_deletion_a_reading(hub, serving):
    with serving("r", "w") as client:
        assert client.post("/collections", json={"name": "run"}, headers=bearer("w")).status_code == 201
        assert client.delete("/collections/run", headers=bearer("r")).status_code == 403
        assert client.patch("/documents/run", json={"title": "x"}, headers=bearer("r")).status_code == 403
        assert client.delete("/collections/run", headers=bearer("w")).status_code == 200


def test_what_is_deployed_is_kept_in_the_hub_and_run(hub, serving, tmp_path):
    text = """
components:
  greet: {type: haystack.components.builders.prompt_builder.PromptBuilder, init_parameters: {template: "Hi {{name}}"}}
connections: []
inputs: {name: greet.name}
outputs: {prompt: greet.prompt}
"""
    before = set(tmp_path.rglob("*.y*ml"))
    with serving("r", "w", allow_deploy=True) as client:
        try:
            deploy = {"name": "hello", "source_code": text}
            assert client.post("/deploy-yaml", json=deploy, headers=bearer("r")).status_code == 403
            assert client.post("/deploy-yaml", json=deploy, headers=bearer("w")).status_code == 200
            assert "Hi you" in client.post("/hello/run", json={"name": "you"}, headers=bearer("r")).text
            made = set(tmp_path.rglob("*.y*ml")) - before
            assert made
            assert all(file.is_relative_to(hub_home() / "deployed") for file in made)
        finally:
            assert client.post("/undeploy/hello", headers=bearer("w")).status_code == 200


def test_a_path_that_nobody_thought_of_needs_the_write_token(hub, serving):
    with serving("r", "w") as client:
        statuses = [client.delete("/documents/x", headers=bearer(token)).status_code for token in ("", "r", "w")]
    assert statuses == [401, 403, 404]


def test_writing_is_closed_without_a_write_token(client):
    assert client.get("/graphs").status_code == 200
    assert client.post("/ingest/run", json={"sources": ["x"]}).status_code == 403


def test_who_has_a_token_that_is_not_known_is_told_that(hub, serving):
    with serving("r", "w") as client:
        for headers, said in (
            (bearer("x"), "this token is not known, or its time is over"),
            ({}, "a token is needed for this"),
            ({"Authorization": "Bearer "}, "a token is needed for this"),
            ({"Authorization": "Basic cjpy"}, "a token is needed for this"),
        ):
            for method, path in (("GET", "/graphs"), ("DELETE", "/documents/x")):
                reply = client.request(method, path, headers=headers)
                assert (reply.status_code, reply.json()["code"]) == (401, "unauthorized")
                assert (reply.json()["detail"], "x" in reply.json().get("remedy", "")) == (said, False)
                assert ("invalid_token" in reply.headers["www-authenticate"]) == ("not known" in said)


def test_a_wrong_token_is_told_where_only_writing_needs_one(hub, serving):
    with serving(write="w") as client:
        assert client.get("/graphs", headers=bearer("x")).status_code == 200
        for path, asked in (("/ingest/run", {"sources": ["x"]}), ("/collections", {"name": "birds"})):
            reply = client.post(path, json=asked, headers=bearer("x"))
            assert (reply.status_code, "not known" in reply.json()["detail"]) == (401, True), path


def test_wrong_schemes_and_tokens_of_any_kind_are_no_token(hub, serving):
    with serving("r") as client:
        for value in ("", "r", "Basic r", "Bearer", "Bearer ", "Bearer r r", b"Bearer \xff", "Bearer rr"):
            assert client.get("/graphs", headers={"Authorization": value}).status_code == 401, value
        assert client.get("/graphs", headers={"Authorization": "bearer r"}).status_code == 200


@pytest.mark.parametrize(
    ("headers", "status"),
    [({"Host": "evil.example.org"}, 421), ({"Origin": "http://evil.example.org"}, 403), ({"Origin": "null"}, 403),
     ({"Origin": "http://localhost:3000"}, 200), ({"Host": "localhost:9"}, 200)],
)  # fmt: skip
def test_pages_from_elsewhere_are_refused(client, headers, status):
    reply = client.get("/graphs", headers=headers)
    assert reply.status_code == status
    assert "access-control-allow-origin" not in reply.headers
    assert client.get("/healthz", headers={"Host": "10.0.0.9"}).status_code == 200  # a probe by address


APP = "https://app.example"


def test_pages_of_a_named_origin_may_use_the_service_with_their_token(hub, serving):
    ask = {"Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "authorization,content-type"}
    with serving("r", origins=(APP,)) as client:
        for path in ("/query/run", "/v1/chat/completions", "/mcp", "/documents"):
            preflight = client.options(path, headers={"Origin": APP, **ask})
            assert (preflight.status_code, preflight.headers["access-control-allow-origin"]) == (200, APP)
            assert "access-control-allow-credentials" not in preflight.headers
            foreign = client.options(path, headers={"Origin": "https://evil.example", **ask})
            assert "access-control-allow-origin" not in foreign.headers
        for token, status in (("r", 200), ("", 401)):
            reply = client.get("/graphs", headers={"Origin": APP, **bearer(token)})
            assert (reply.status_code, reply.headers["access-control-allow-origin"]) == (status, APP)
        who = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "page", "version": "1"}}
        begin = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": who}
        types = {"Accept": "application/json, text/event-stream"}
        for origin, status in ((APP, 200), ("https://evil.example", 403), ("https://app.example.evil", 403)):
            reply = client.post("/mcp", json=begin, headers={"Origin": origin, **bearer("r"), **types})
            assert reply.status_code == status
            assert ("mcp-session-id" in reply.headers) == (status == 200)
        assert "Mcp-Session-Id" in reply.headers.get("access-control-expose-headers", "Mcp-Session-Id")


@pytest.mark.parametrize("origin", ["*", "https://app.example/", "app.example", "https://*.example", "null", ""])
def test_what_is_no_origin_is_refused(origin):
    with pytest.raises(KhubError, match="origin"):
        ServiceOptions(origins=(origin,))


def test_the_docs_load_nothing_from_elsewhere(hub, serving):
    with serving("r") as client:
        assert client.get("/docs").status_code == 401
        page = client.get("/docs", headers=bearer("r"))
        document = client.get("/openapi.json", headers=bearer("r")).json()
    assert page.headers["content-type"].startswith("text/html")
    assert "default-src 'none'" in page.headers["content-security-policy"]
    assert not re.search(r"<script|src=|href=['\"](https?:)?//|@import|url\(", page.text)
    assert all(path in page.text for path in document["paths"])
    assert "<table>" in page.text


def test_a_body_is_cut_off_whatever_its_header_says(client):
    pieces = (b"x" * 100_000 for _ in range(100))
    assert client.post("/query/run", content=pieces, headers={"Content-Type": "application/json"}).status_code == 413


def test_mcp_offers_what_writes_to_who_may_write(hub, serving):
    prefix = "io.modelcontextprotocol/"
    meta = {f"{prefix}protocolVersion": "2026-07-28", f"{prefix}clientCapabilities": {}}
    listing = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": meta}}
    headers = {"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2026-07-28"}
    headers["Mcp-Method"] = "tools/list"
    with serving("r", "w") as client:
        offered = {}
        for who in "rw":
            reply = client.post("/mcp", json=listing, headers={**headers, **bearer(who)})
            offered[who] = {tool["name"] for tool in reply.json()["result"]["tools"]}
    assert offered["w"] - offered["r"] == {"ingest", "remember", "job_status", "delete_document"}


def test_other_addresses_need_a_token_and_tokens_differ(monkeypatch):
    monkeypatch.delenv("KHUB_TOKEN", raising=False)
    monkeypatch.setenv("KHUB_WRITE_TOKEN", "w")
    result = CliRunner().invoke(khub, ["serve", "--host", "0.0.0.0"])
    assert (result.exit_code, "KHUB_TOKEN" in result.stderr) == (1, True)
    with pytest.raises(KhubError):
        Tokens("same", "same")


def test_a_file_of_settings_in_the_working_folder_is_not_read(tmp_path):
    (tmp_path / ".env").write_text("KHUB_WRITE_TOKEN=mine\nHAYHOOKS_ROOT_PATH=/x\n", encoding="utf-8")
    code = "import os, khub.server.http.service; print(os.environ.get('KHUB_WRITE_TOKEN'))"
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[3])}
    run = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, env=environment, capture_output=True, text=True, check=True
    )
    assert run.stdout.strip() == "None"


@pytest.mark.integration
def test_a_path_before_all_paths_is_taken_away_and_put_into_addresses(hub, serving):
    with serving("r", "w", root_path="/hub") as client:
        document = client.get("/hub/openapi.json", headers=bearer("r")).json()
        assert document["servers"] == [{"url": "/hub"}]
        sent = {"source": "a.md", "text": "# A"}
        for path in ("/hub/documents", "/documents"):  # a proxy may have taken it away
            reply = client.post(path, json=sent, headers=bearer("w"))
            assert reply.status_code == 202
            assert reply.headers["location"].startswith("/hub/jobs/")
        assert client.get(reply.headers["location"], headers=bearer("r")).status_code == 200
        assert client.get("/hub/jobs").status_code == 401
        assert client.get("/hub/healthz").status_code == 200
        assert client.get("/hubjobs", headers=bearer("r")).status_code == 404
