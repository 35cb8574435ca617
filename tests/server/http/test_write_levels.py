"""What a caller with access levels is told who writes, and the rights that a job has when it runs."""

import json
import threading
from pathlib import Path

import pytest

from khub.components.catalog.access import ACCESS_FIELD
from khub.components.catalog.catalog import open_catalog
from khub.components.home import hub_home
from khub.server.jobs.child_jobs import ChildJobs
from khub.server.library.ingest import ingest
from khub.server.library.uploads import uploads_of
from khub.server.named_tokens import create_token, revoke_token, tokens_path
from tests.server.http.conftest import bearer
from tests.server.http.test_closed import answer_of
from tests.server.http.test_graph_routes import until
from tests.server.http.test_tokens import MCP, greeting
from tests.server.http.write_ways import COLLECTION, LEVELS, OWN

pytestmark = pytest.mark.integration


def run(house, sources, **meta):
    body = {"sources": [str(house.root / one) for one in sources], "collection": COLLECTION, "meta": meta}
    return house.send("POST", "/ingest/run", json=body)


def send(house, name, text="# Mine\n\nMine alone.\n", **meta):
    body = {"source": name, "text": text, "collection": COLLECTION, "graph": "ingest", "meta": meta}
    return house.send("POST", "/documents", json=body)


def tool(house, name, **arguments):
    ask = {"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": {"name": name, "arguments": arguments}}
    headers = {**MCP, **greeting(house.client, house.token), **bearer(house.token)}
    return answer_of(house.client.post("/mcp", json=ask, headers=headers))


def job(reply):
    return open_catalog().jobs.get(reply.json()["job_id"])


def text_of(house, name):
    chunks = open_catalog().documents.chunks(house.row(name)["doc_id"])
    return " ".join(chunk["content"] for chunk in chunks)


def test_a_run_route_answers_as_an_upload_does(houses):
    limited, _, everything = houses
    for level in LEVELS[1:]:
        meta = {} if level is None else {ACCESS_FIELD: level}
        assert send(limited, "mine.md", **meta).status_code == run(limited, ["open.md"], **meta).status_code == 422
    closed = send(limited, "sent.md", access_level=OWN), run(limited, ["hr"], access_level=OWN)
    assert [reply.status_code for reply in closed] == [403, 403]
    assert run(limited, ["open.md"], access_level=OWN).status_code == 200
    assert run(everything, ["hr"], access_level="secret").json()["written"]


def test_an_assistant_with_a_level_gives_it_and_ingests(houses):
    limited, *_ = houses
    (limited.root / "note.md").write_text("# Note\n\nA note of the assistant.\n", encoding="utf-8")
    asked = {"paths": ["note.md"], "collection": COLLECTION}
    for level in ("secret", None):
        assert tool(limited, "ingest", **asked, **({} if level is None else {"access_level": level}))["isError"]
    assert tool(limited, "ingest", paths=["hr"], collection=COLLECTION, access_level=OWN)["isError"]
    done = tool(limited, "ingest", **asked, access_level=OWN)["structuredContent"]
    assert open_catalog().jobs.get(done["job_id"])["result"]["written"] == 1
    assert limited.row("note.md")["meta"][ACCESS_FIELD] == OWN


def test_levels_that_stand_in_the_content_have_to_be_the_callers_too(houses, monkeypatch):
    limited, *_ = houses
    for level in (OWN, "secret", "[public, secret]"):
        name = limited.root / f"{level.strip('[')[:6]}-{len(level)}.md"
        name.write_text(f"---\naccess_level: {level}\n---\n# Own\n\nA level of its own.\n", encoding="utf-8")
    monkeypatch.setenv("KHUB_ACCESS", OWN)
    result = ingest([str(path) for path in limited.root.glob("*-*.md")], COLLECTION)
    assert [Path(one["source"]).name for one in result.written] == ["public-6.md"]
    assert {one["stage"] for one in result.failed} == {"access"}
    assert len(result.failed) == 2
    sources = {Path(row["source"]).name for row in limited.rows()}
    assert sources.isdisjoint({"secret-6.md", "public-16.md"})


def test_a_queued_upload_does_not_replace_what_was_closed_before_it_runs(houses):
    limited, _, everything = houses
    first = send(everything, "race.md", "# Race\n\nThe race is secret.\n", access_level="secret")
    second = send(limited, "race.md", access_level=OWN)
    assert (first.status_code, second.status_code) == (202, 202)  # nothing is there yet that could be closed
    limited.run_jobs()
    assert (job(first)["state"], job(first)["result"]["written"]) == ("finished", 1)
    assert job(second)["result"]["written"] == 0
    (failure,) = job(second)["result"]["failures"]
    assert failure["stage"] == "access"
    assert failure["remedy"]
    assert "secret" in text_of(limited, "race.md")
    assert "secret" in (uploads_of(COLLECTION) / "race.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("lost", ["token", "write", "level", "collection"])
def test_a_job_has_the_rights_that_its_token_has_when_it_runs(houses, lost):
    limited, *_ = houses
    sent = send(limited, "late.md", access_level=OWN)
    of_assistant = ChildJobs()
    rows = json.loads(tokens_path().read_text(encoding="utf-8"))
    (own,) = [row for row in rows if row["name"] == "limited"]
    now = {"write": {"write": False}, "level": {"levels": ["other"]}, "collection": {"collections": ["other"]}}
    own |= now.get(lost, {})
    tokens_path().write_text(json.dumps([row for row in rows if lost != "token" or row is not own]), encoding="utf-8")
    limited.in_process(lambda: of_assistant.start([str(limited.root / "open.md")], COLLECTION, "ingest"))
    limited.run_jobs()
    assert job(sent)["state"] == "failed"
    assert job(sent)["error"]
    assert not [row for row in limited.rows() if row["source"].endswith("late.md")]
    assert not (uploads_of(COLLECTION) / "late.md").exists()
    assert not list((hub_home() / "waiting").glob("*"))
    other = [one for one in open_catalog().jobs.listed() if one["job_id"] != job(sent)["job_id"]]
    assert all(one["state"] == "failed" or one["result"]["written"] == 0 for one in other)


def test_a_file_that_failed_keeps_the_level_that_was_given_with_it(houses):
    limited, _, everything = houses
    assert limited.row("broken.pdf")["meta"] == {ACCESS_FIELD: "secret"}
    doc_id = limited.row("broken.pdf")["doc_id"]
    assert send(limited, "broken.pdf", access_level=OWN).status_code == 403
    assert limited.send("DELETE", f"/documents/{doc_id}").status_code == 404
    sent = limited.send(
        "POST",
        "/documents",
        data={"collection": COLLECTION, "graph": "ingest", "meta": json.dumps({ACCESS_FIELD: OWN})},
        files=[("files", ("mine.pdf", b"%PDF-1.7 broken"))],
    )
    limited.run_jobs()
    assert job(sent)["result"]["failed"] == 1
    listed = limited.send("GET", "/documents", params={"collection": COLLECTION}).json()["documents"]
    failed = [row for row in listed if row["status"] == "failed"]
    assert [Path(row["source"]).name for row in failed] == ["mine.pdf"]  # its own, and not the closed one
    assert send(limited, "mine.pdf", access_level=OWN).status_code == 202
    assert limited.send("DELETE", f"/documents/{failed[0]['doc_id']}").status_code == 200
    assert everything.send("DELETE", f"/documents/{doc_id}").status_code == 200


@pytest.mark.parametrize("lost", ["token", "level"])
def test_events_end_once_the_token_that_listens_has_lost_its_rights(houses, lost):
    limited, *_ = houses
    reader, _ = create_token("reader")
    path = f"/jobs/{send(limited, 'slow.md', access_level=OWN).json()['job_id']}"
    job_id, lines, over = path.rpartition("/")[2], [], threading.Event()

    def listen():
        lines.append(limited.client.get(f"{path}/events", headers=bearer(reader)).text)
        over.set()

    thread = threading.Thread(target=listen, daemon=True)
    thread.start()
    until(lambda: open_catalog().jobs.update(job_id, {"progress": {"done": len(lines)}}), 5)
    assert not over.wait(1), "a job that waits is followed"
    if lost == "token":
        revoke_token("reader")
    else:
        rows = json.loads(tokens_path().read_text(encoding="utf-8"))
        rows = [{**row, "levels": ["other"]} if row["name"] == "reader" else row for row in rows]
        tokens_path().write_text(json.dumps(rows), encoding="utf-8")
    open_catalog().jobs.update(job_id, {"progress": {"secret": "told to nobody"}})
    assert over.wait(10)
    assert "queued" in lines[0]
    assert "told to nobody" not in lines[0]
