"""Where files lie on the machine of the hub is told to whoever runs it alone."""

import json

import pytest

from khub.components.home import hub_home
from khub.server.library.ingest import ingest
from khub.server.library.uploads import uploads_of
from khub.server.named_tokens import create_token
from tests.server.http.conftest import bearer
from tests.server.http.test_closed import answer_of, greeting
from tests.server.http.test_graph_routes import until

pytestmark = pytest.mark.integration

QUESTION = {"query": "How do herons wade?", "collection": "default"}
SHORT = "trips/höhe/birds.md"


@pytest.fixture
def place(hub, notes, tmp_path):
    """A document that lies with what was sent, and one in a folder from which may be ingested."""
    sent = uploads_of("default") / SHORT
    sent.parent.mkdir(parents=True)
    sent.write_bytes((notes / "birds.md").read_bytes() + b"\n\nThey nest in trees.\n")
    folder = tmp_path / "röot"
    (folder / "sub").mkdir(parents=True)
    (folder / "sub" / "fish.txt").write_text("Salmon swim upstream to spawn.", encoding="utf-8")
    for path in (sent, folder):
        assert not ingest([str(path)]).failed
    return folder


def test_no_answer_tells_it_to_who_has_a_token(place, serving):
    token, _ = create_token("guest", collections=("default",), write=True)
    texts = {}
    with serving("r", "w", roots=(place,)) as client:
        mine = bearer(token)
        texts["list"] = client.get("/documents", headers=mine).text
        ids = {one["source"]: one["doc_id"] for one in json.loads(texts["list"])["documents"]}
        assert {SHORT, "sub/fish.txt"} <= set(ids)
        texts["one"] = client.get(f"/documents/{ids[SHORT]}", headers=mine).text
        texts["run"] = client.post("/query/run", json=QUESTION, headers=mine).text
        assert SHORT in {one["source"] for one in json.loads(texts["run"])["citations"]}
        chat = {"model": "khub", "messages": [{"role": "user", "content": QUESTION["query"]}]}
        for stream in (False, True):
            texts[f"chat {stream}"] = client.post(
                "/v1/chat/completions", json={**chat, "stream": stream}, headers=mine
            ).text
        texts["traces"] = client.get("/traces", headers=mine).text
        trace = json.loads(texts["run"])["trace_id"]
        texts["trace"] = client.get(f"/traces/{trace}", headers=mine).text
        again = {"source": "trips/new.md", "text": "# New\n\nText."}
        job = client.post("/documents", json=again, headers=mine).headers["location"]
        until(lambda: client.get(job, headers=mine).json()["state"] == "finished", 60)
        texts["job"] = client.get(job, params={"files": True}, headers=mine).text
        assert "trips/new.md" in texts["job"]
        texts["events"] = client.get(f"{job}/events", headers=mine).text
        head = {**greeting(client, token), **mine}
        for number, method in enumerate(("resources/list", "tools/call")):
            call = {"name": "query_knowledge_hub", "arguments": QUESTION} if method == "tools/call" else {}
            ask = {"jsonrpc": "2.0", "id": number + 5, "method": method, "params": call}
            texts[method] = client.post("/mcp", json=ask, headers=head).text
            assert answer_of(client.post("/mcp", json=ask, headers=head))
        for about, text in texts.items():
            for folder in (hub_home(), place):
                for plain in (True, False):
                    assert json.dumps(str(folder), ensure_ascii=plain)[1:-1] not in text, about
        filters = {"field": "meta.source", "operator": "==", "value": SHORT}
        found = client.post("/query/run", json={**QUESTION, "filters": filters}, headers=mine).json()
        assert [one["source"] for one in found["citations"]] == [SHORT]
        within = {"field": "meta.source", "operator": "not in", "value": [SHORT, "sub/fish.txt"]}
        left = client.get("/documents", params={"filters": json.dumps(within)}, headers=mine).json()["documents"]
        assert not {one["source"] for one in left} & set(within["value"])
        assert len(left) == len(ids) - 2 + 1


def test_who_runs_the_hub_is_told(place, serving):
    with serving() as client:
        sources = {one["source"] for one in client.get("/documents").json()["documents"]}
    assert str(uploads_of("default") / SHORT) in sources
