"""Graphs are run, shown and reloaded over HTTP."""

import concurrent.futures
import json
import os
import threading
import time

import pytest

from khub.server.graphs.load import load_graph
from khub.server.http import served_graphs
from khub.server.http.served_graphs import ServedGraphs
from khub.server.traces.index import read_traces
from tests.server.conftest import QUERY
from tests.server.http.conftest import bearer

pytestmark = pytest.mark.integration

HERONS = {"query": "How do herons wade?"}


def finding_by(part, parameters):
    """The graph with another first part."""
    text = QUERY.replace(
        "graph_parts.Find\n    init_parameters:\n      top_k: 2",
        f"graph_parts.{part}\n    init_parameters: {parameters}",
    )
    inputs = "  query: [find.query, answer.query]\n  collection: find.collection\n  limit: find.limit\n"
    return text.replace(inputs, "  query: find.query\n  collection: answer.query\n")


def until(true, patience_s=20):
    deadline = time.monotonic() + patience_s
    while not true():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_a_question_needs_nothing_but_itself(client):
    reply = client.post("/query/run", json=HERONS)
    assert reply.status_code == 200
    answer = reply.json()
    assert (answer["graph"], answer["citations"][0]["title"]) == ("query", "Birds")
    assert answer["trace_id"] in {trace["trace_id"] for trace in read_traces(5)}
    both = {**HERONS, "collection": "default", "top_k": 1, "legs": ["sparse"], "filters": None}
    assert len(client.post("/query/run", json=both).json()["citations"]) == 1


def test_graphs_in_folders_are_run_and_what_they_declare_is_what_they_take(client, write_graph):
    write_graph("more/mine")
    reply = client.post("/more/mine/run", json={"query": "x", "limit": 1})
    assert reply.json()["answer"] == "found 1"
    assert client.post("/more/mine/run", json={"query": "x", "limit": "1"}).status_code == 422
    assert client.post("/more/mine/run", json={"query": "x", "top_k": 1}).status_code == 422
    schema = client.get("/graphs/more/mine").json()["request"]
    assert (set(schema["properties"]), schema["required"]) == ({"query", "collection", "limit"}, ["query"])
    assert client.get("/openapi.json").json()["paths"]["/more/mine/run"]["post"]["requestBody"]["required"]
    assert client.get("/graphs/more/mine/mermaid").text.startswith("flowchart TD")
    listed = {one["name"]: one["run"] for one in client.get("/graphs").json()["graphs"]}
    assert listed["more/mine"] == "/more/mine/run"


@pytest.mark.parametrize("name", ["graphs", "healthz", "mcp/mine", "more/mermaid"])
def test_names_of_the_services_own_paths_are_refused(client, write_graph, name):
    write_graph(name)
    assert client.post(f"/{name}/run", json=HERONS).status_code == 404
    assert {one["name"]: one["run"] for one in client.get("/graphs").json()["graphs"]}[name] is None


def test_claims_are_verified_by_the_shipped_graph(hub, serving, monkeypatch):
    from tests.server.hub_files import PIPELINES

    monkeypatch.setenv("KHUB_PIPELINES", str(PIPELINES))
    with serving() as client:
        claims = client.post("/verify/run", json={"claims": ["Herons wade in shallow water."]}).json()["claims"]
        assert [one["verdict"] for one in claims] == ["agrees"]
        assert client.post("/verify/run", json={"text": "Herons wade in shallow water."}).status_code == 200
        for wrong in ({}, {"text": "Herons.", "claims": ["Herons."]}):
            assert client.post("/verify/run", json=wrong).status_code == 422


def test_files_come_in_from_the_roots_alone_and_by_the_write_token(hub, serving, tmp_path):
    root, outside = tmp_path / "root", tmp_path / "secret.txt"
    root.mkdir()
    outside.write_text("The password is mallard.", encoding="utf-8")
    (root / "crane.md").write_text("# Cranes\n\nCranes dance.\n", encoding="utf-8")
    with serving(write="w", roots=(root,)) as client:
        run = {"sources": ["crane.md"], "collection": "birds", "meta": {"by": "me"}}
        assert client.post("/ingest/run", json=run).status_code == 401
        result = client.post("/ingest/run", json=run, headers=bearer("w"))
        assert [one["source"] for one in result.json()["written"]] == ["crane.md"]
        wrong = [{"sources": [str(outside)]}, {"sources": ["../secret.txt"]}, {"sources": []}, {}]
        wrong.append({**run, "meta": {"doc_id": "mine"}})
        if hasattr(os, "symlink") and os.name != "nt":
            (root / "link.txt").symlink_to(outside)
            wrong.append({"sources": ["link.txt"]})
        for body in wrong:
            assert client.post("/ingest/run", json=body, headers=bearer("w")).status_code == 422, body
    with serving(write="w") as client:  # no roots
        assert client.post("/ingest/run", json=run, headers=bearer("w")).status_code == 422


def test_a_broken_edit_keeps_the_graph_before_it_and_is_told_of(client, write_graph, caplog):
    file = write_graph("mine")
    assert client.post("/mine/run", json=HERONS).json()["answer"] == "found 2"
    for broken in (QUERY.replace("graph_parts.Find", "graph_parts.Found"), QUERY[:100], ""):
        file.write_text(broken, encoding="utf-8")
        assert client.post("/mine/run", json=HERONS).json()["answer"] == "found 2"
        shown = client.get("/graphs/mine").json()
        assert (shown["served"], "mine.yaml" in shown["problem"]) == (True, True)
    assert any("'mine' cannot be used" in record.getMessage() for record in caplog.records)
    file.write_text(QUERY.replace("prefix: found", "prefix: now"), encoding="utf-8")
    assert client.post("/mine/run", json=HERONS).json()["answer"] == "now 2"
    assert client.get("/graphs/mine").json()["problem"] is None


@pytest.mark.parametrize("after", ["right", "broken"])
def test_the_next_request_has_the_edit_whatever_the_one_before_was(client, write_graph, after):
    file = write_graph("mine")
    assert client.post("/mine/run", json=HERONS).status_code == 200
    for number in range(5):
        if after == "broken":
            file.write_text(QUERY[:90], encoding="utf-8")
            assert client.post("/mine/run", json=HERONS).status_code == 200
        file.write_text(QUERY.replace("prefix: found", f"prefix: n{number}"), encoding="utf-8")
        assert client.post("/mine/run", json=HERONS).json()["answer"] == f"n{number} 2"


def test_who_asks_while_an_edit_is_loaded_gets_it_unless_that_takes_long(hub, write_graph, monkeypatch):
    write_graph("mine")
    graphs = ServedGraphs()
    first, go_on = graphs.usable("mine"), threading.Event()

    def slowly(name):
        loading.set()
        assert go_on.wait(20)
        return load_graph(name)

    for limit, gets_edit in ((20, True), (0, False)):
        monkeypatch.setattr(served_graphs, "LOADING_S", limit)
        monkeypatch.setattr(served_graphs, "load_graph", slowly)
        write_graph("mine", QUERY.replace("prefix: found", f"prefix: edited{limit}"))
        loading = threading.Event()
        go_on.clear()
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            loads = pool.submit(graphs.usable, "mine")
            assert loading.wait(20)
            asks = pool.submit(graphs.usable, "mine")
            if not gets_edit:
                assert asks.result(20) is first
            go_on.set()
            assert (asks.result(20) is loads.result(20)) is gets_edit
        first = loads.result()


def test_a_graph_that_does_not_warm_up_keeps_the_one_before(client, write_graph):
    file = write_graph("mine")
    assert client.post("/mine/run", json=HERONS).status_code == 200
    file.write_text(finding_by("Warm", "{broken: true}"), encoding="utf-8")
    assert client.post("/mine/run", json=HERONS).json()["answer"] == "found 2"
    assert "warmed up" in client.get("/graphs/mine").json()["problem"]


def test_a_graph_that_was_never_right_says_so_without_its_parts(client, write_graph):
    write_graph("mine", QUERY.replace("graph_parts.Find", "graph_parts.Found"))
    reply = client.post("/mine/run", json=HERONS)
    assert (reply.status_code, reply.headers["content-type"]) == (503, "application/problem+json")
    assert "find" not in reply.text.lower().replace("found", "")
    assert client.get("/graphs/mine").json()["served"] is False


def test_no_client_sees_that_a_graph_is_edited(client, write_graph):
    file, stopped = write_graph("mine"), []

    def ask():
        statuses = []
        while not stopped:
            statuses.append(client.post("/mine/run", json=HERONS).status_code)
        return statuses

    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        clients = [pool.submit(ask) for _ in range(4)]
        try:
            for number in range(8):
                text = QUERY[:90] if number % 3 == 1 else QUERY.replace("prefix: found", f"prefix: n{number}")
                if number % 3 == 2:
                    file.rename(file.with_suffix(".yaml~"))  # as some editors do
                file.write_text(text, encoding="utf-8")
                if number % 3 != 1:
                    wanted = f"n{number} 2"
                    until(lambda: client.post("/mine/run", json=HERONS).json()["answer"] == wanted, 3)  # noqa: B023
        finally:
            stopped.append(True)
        statuses = [status for one in clients for status in one.result()]
    assert set(statuses) == {200}


@pytest.mark.parametrize(
    ("path", "body", "status"),
    [("/query/run", b"{", 400), ("/query/run", b"{}", 422), ("/query/run", b"[]", 422), ("/query/run", b"\xff", 400),
     *(("/query/run", json.dumps({**HERONS, **wrong}).encode(), 422)
       for wrong in ({"query": "?!"}, {"query": "x" * 5000}, {"collection": "none"}, {"filters": {"field": 1}},
                     {"legs": ["middle"]}, {"top_k": 0})),
     ("/none/run", b"{}", 404), ("/pipelines/query.yaml/run", b"{}", 404), ("/%2e%2e/query/run", b"{}", 404),
     ("/query/run", b"x" * 5_000_000, 413)],
)  # fmt: skip
def test_mistakes_of_a_caller_are_told_as_problems(client, path, body, status):
    reply = client.post(path, content=body, headers={"Content-Type": "application/json"})
    assert (reply.status_code, reply.headers["content-type"]) == (status, "application/problem+json"), reply.text
    problem = reply.json()
    assert (problem["status"], bool(problem["detail"])) == (status, True)
    assert not any(word in reply.text for word in ("Traceback", "route:", "Analyzer", "components."))


def test_a_body_that_is_no_json_is_not_read(client):
    assert (
        client.post("/query/run", content=json.dumps(HERONS), headers={"Content-Type": "text/plain"}).status_code == 415
    )


@pytest.mark.parametrize("how", ["mine", "else"])
def test_what_fails_inside_is_not_told(client, write_graph, how):
    write_graph("mine", finding_by("Fail", f"{{how: {how}}}"))
    reply = client.post("/mine/run", json=HERONS)
    assert reply.status_code == (422 if how == "mine" else 503)
    assert "luck" not in reply.text


def test_an_edit_that_nobody_asked_for_is_the_one_before_a_broken_one(hub, write_graph):
    write_graph("edited", finding_by("Fail", "{how: else}"))
    graphs = ServedGraphs()
    first = graphs.usable("edited")
    with graphs.followed():
        write_graph("edited", finding_by("Block", "{}"))
        until(lambda: graphs._states["edited"].good is not first)
        second = graphs._states["edited"].good
        (hub / "edited.yaml").write_text("components: {", encoding="utf-8")
        until(lambda: graphs._states["edited"].error is not None)
        assert graphs.usable("edited") is second
