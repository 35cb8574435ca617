"""What past runs did is listed and shown, and what people say of them is kept."""

import pytest

from khub.components.catalog.catalog import open_catalog
from khub.server.library.edits import edit_document
from khub.server.named_tokens import create_token
from khub.server.traces.feedback import right_passages
from khub.server.traces.log import write_trace
from tests.server.http.conftest import bearer
from tests.server.http.test_graph_routes import HERONS

pytestmark = pytest.mark.integration


def asked(client, query, **headers):
    return client.post("/query/run", json={**HERONS, "query": query}, headers=headers).json()


def test_runs_are_listed_page_by_page_and_shown(client):
    ids = [asked(client, f"What do herons eat on day {number}?")["trace_id"] for number in range(5)]
    seen, cursor = [], None
    while True:
        page = client.get("/traces", params={"kind": "query", "limit": 2, **({"cursor": cursor} if cursor else {})})
        seen += [row["trace_id"] for row in page.json()["traces"]]
        asked(client, "What came meanwhile?")  # it moves no page
        cursor = page.json()["next_cursor"]
        if cursor is None:
            break
    assert seen[:5] == ids[::-1]
    assert len(seen) == len(set(seen))
    found = client.get("/traces", params={"text": "DAY 3"}).json()["traces"]
    assert [row["trace_id"] for row in found] == [ids[3]]
    shown = client.get(f"/traces/{ids[3]}").json()
    assert shown["query"] == "What do herons eat on day 3?"
    assert shown["stages"]
    assert client.get(f"/traces/{'0' * 32}").status_code == 404
    assert client.get("/traces", params={"cursor": "x"}).status_code == 422


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        ({"words": "WADE herons"}, "a"),
        ({"graph": "other"}, "b"),
        ({"failed": True}, "b"),
        ({"abstained": True}, "a"),
        ({"slower_ms": 100}, "b"),
        ({"degraded": False, "failed": False}, "a"),
    ],
)
def test_runs_are_filtered(client, wanted, found):
    record = {"time": "", "kind": "query", "degraded": [], "totals": {"ms": 100.0}, "stages": []}
    one = {"trace_id": "a" * 32, "graph": "query", "query": "How do herons wade?", "abstained": True, "error": None}
    two = {"trace_id": "b" * 32, "graph": "other", "query": {"chars": 7}, "error": "it broke", "totals": {"ms": 101.0}}
    write_trace({**record, **one})
    write_trace({**record, **two})
    rows = client.get("/traces", params={"kind": "query", **wanted}).json()["traces"]
    assert [row["trace_id"][0] for row in rows] == [found]
    assert (rows[0]["abstained"], rows[0]["characters"]) == ((True, None) if found == "a" else (None, 7))


def test_a_row_says_which_stages_were_replaced_and_how_many_files_were_read(client):
    record = {"trace_id": "a" * 32, "time": "", "kind": "ingest", "graph": "ingest", "collection": "鸟", "error": None}
    write_trace({**record, "source_count": 3, "degraded": [{"stage": "caption"}], "totals": {"ms": 1.0}, "stages": []})
    (row,) = client.get("/traces", params={"collection": "鸟"}).json()["traces"]
    assert (row["degraded"], row["degraded_stages"], row["source_count"]) == (1, ["caption"], 3)


def test_feedback_is_kept_for_traces_that_the_caller_may_know(hub, serving):
    one, _ = create_token("one", collections=["default"])
    two, _ = create_token("two", collections=["default"])
    with serving() as client:
        answer = asked(client, "What do herons eat?", **bearer(one))
        chunk = answer["citations"][0]["chunk_id"]
        said = {"trace_id": answer["trace_id"], "chunk_id": chunk, "right": True}
        assert client.post("/feedback", json=said, headers=bearer(two)).status_code == 404
        assert client.post("/feedback", json=said, headers=bearer(one)).status_code == 201
        assert right_passages(answer["trace_id"]) == [chunk]
        assert client.post("/feedback", json={**said, "right": False}, headers=bearer(one)).status_code == 201
        assert right_passages(answer["trace_id"]) == []
        assert client.get("/traces", headers=bearer(two)).json()["traces"] == []
        assert client.post("/feedback", json={"trace_id": "x"}, headers=bearer(one)).status_code == 422


def test_what_a_run_found_is_not_shown_once_it_is_closed(two_collections, serving):
    token, _ = create_token("one", levels=["public", "secret"])
    everything, _ = create_token("all")
    with serving() as client:
        body = {"query": "What do herons eat?", "collection": "open"}
        trace = client.post("/query/run", json=body, headers=bearer(token)).json()["trace_id"]
        before = client.get(f"/traces/{trace}", headers=bearer(token))
        assert "open secret fish" in before.text
        (secret,) = (
            one for one in open_catalog().documents.of_collection("open") if one["source"].endswith("secret.md")
        )
        edit_document(secret, None, {"access_level": "board"})
        after = client.get(f"/traces/{trace}", headers=bearer(token))
        assert (after.status_code, after.json()["query"]) == (200, body["query"])
        assert "secret" not in after.text
        assert "fish" not in after.text
        told = [[(one["name"], one["ms"]) for one in reply.json()["stages"]] for reply in (before, after)]
        assert told[0] == told[1]
        assert "fish" in client.get(f"/traces/{trace}", headers=bearer(everything)).text


def test_a_run_is_a_part_of_the_trace_that_its_client_names(client):
    trace, span = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
    named = {"traceparent": f"00-{trace}-{span}-01"}
    reply = client.post("/query/run", json={**HERONS, "query": "herons"}, headers=named)
    version, back, own, flags = reply.headers["traceparent"].split("-")
    assert (version, back, flags) == ("00", trace, "01")
    shown = client.get(f"/traces/{own}").json()
    assert shown["trace_id"] == reply.json()["trace_id"]
    assert shown["parent"] == {"trace_id": trace, "span_id": span}
    assert client.get(f"/traces/{trace}").json() == shown
    assert [row["parent"] for row in client.get("/traces", params={"words": trace}).json()["traces"]] == [trace]


@pytest.mark.parametrize("named", [["00-0-0-0"], ["00-" + "a" * 32 + "-" + "b" * 16 + "-01"] * 2])
def test_a_trace_that_is_not_well_named_is_ignored(client, named):
    reply = client.post("/query/run", json=HERONS, headers=[("traceparent", one) for one in named])
    assert reply.status_code == 200
    assert "traceparent" not in reply.headers
    assert "parent" not in client.get(f"/traces/{reply.json()['trace_id']}").json()
