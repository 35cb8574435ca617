"""What a program may do that keeps a collection like its files, beyond what it does of itself."""

import json

import pytest

from khub.components.catalog.access import ACCESS_FIELD
from khub.components.catalog.catalog import open_catalog
from khub.server.jobs.job_work import run_job
from khub.server.named_tokens import create_token
from tests.server.http.conftest import bearer

pytestmark = pytest.mark.integration

WIKI = "/api/v1/knowledge/wiki"
NOTE = b"# Note\n\nA note about the lake.\n"


@pytest.fixture
def client(hub, serving, converted_here):
    """A service whose jobs wait until `run_jobs`."""
    with serving("r", "w", runs_jobs=False) as client:
        client.headers.update(bearer("w"))
        yield client


def run_jobs():
    for job in reversed(open_catalog().jobs.listed(("queued",))):
        run_job(job["job_id"])


def send(client, name, state, data=NOTE, folder="", **more):
    said = {"knowledge_id": "wiki", "file_hash": state, "directory_id": folder}
    return client.post("/api/v1/files/", data={"metadata": json.dumps(said)}, files={"file": (name, data)}, **more)


def diff(client, *files, **more):
    manifest = [{"path": path, "filename": name, "checksum": state, "size": 1} for path, name, state in files]
    return client.post(f"{WIKI}/sync/diff", json={"manifest": manifest}, **more)


def test_the_difference_has_what_its_programs_read(client):
    found = diff(client, ("guides", "a.md", "1")).json()
    assert found == {
        "added": [{"filename": "a.md", "path": "guides"}],
        "modified": [],
        "deleted": [],
        "unmodified_count": 0,
        "mkdir": [],
        "rmdir": [],
        "directory_map": {"guides": "guides"},
    }


def test_what_waits_for_its_job_is_not_asked_for_again(client):
    sent = send(client, "a.md", "1", folder="guides")
    assert sent.status_code == 200
    assert diff(client, ("guides", "a.md", "1")).json()["unmodified_count"] == 1
    assert diff(client, ("guides", "a.md", "2")).json()["added"]
    run_jobs()
    assert diff(client, ("guides", "a.md", "1")).json()["unmodified_count"] == 1
    assert open_catalog().documents.of_collection("wiki")[0]["doc_id"] == sent.json()["id"]


def test_a_changed_file_stays_until_the_next_state_has_come(client):
    send(client, "a.md", "1")
    run_jobs()
    (changed,) = diff(client, ("", "a.md", "2")).json()["modified"]
    body = {"file_ids": [changed["stale_file_id"]]}
    assert client.post(f"{WIKI}/sync/cleanup", json=body).json() == {"status": True, "deleted": 0}
    assert len(open_catalog().documents.of_collection("wiki")) == 1
    send(client, "a.md", "2")  # the same bytes in another state, as of a source that numbers its versions
    run_jobs()
    assert diff(client, ("", "a.md", "2")).json()["unmodified_count"] == 1


def test_only_synced_files_are_deleted(client, notes):
    send(client, "a.md", "1")
    run_jobs()
    (gone,) = diff(client, ("", "b.md", "1")).json()["deleted"]
    assert (gone["filename"], gone["path"]) == ("a.md", "")
    other = open_catalog().documents.of_collection("default")[0]["doc_id"]
    assert client.post(f"{WIKI}/sync/cleanup", json={"file_ids": [gone["file_id"], other]}).status_code == 404
    assert len(open_catalog().documents.of_collection("wiki")) == 1
    for deleted in (1, 0):
        reply = client.post(f"{WIKI}/sync/cleanup", json={"file_ids": [gone["file_id"]]})
        assert reply.json() == {"status": True, "deleted": deleted}
    assert not open_catalog().documents.of_collection("wiki")
    assert client.get("/documents", params={"collection": "default"}).json()["total"] > 0


def test_names_lead_nowhere_else_and_two_are_never_one(client):
    send(client, "a.md", "1", folder="../../default")
    run_jobs()
    (row,) = client.get(f"{WIKI}/files").json()["items"]
    assert row["meta"]["name"] == "a.md"
    assert diff(client, ("../../default", "a.md", "1")).json()["unmodified_count"] == 1
    clash = diff(client, ("", "a?.md", "1"), ("", "a.md", "1"))
    assert (clash.status_code, clash.json()["code"]) == (422, "name_taken")


@pytest.mark.parametrize(
    ("form", "status"),
    [
        ({"data": {"metadata": "{}"}, "files": {"file": ("a.md", NOTE)}}, 422),
        ({"data": {"metadata": "no"}, "files": {"file": ("a.md", NOTE)}}, 400),
        ({"data": {"metadata": json.dumps({"knowledge_id": "wiki", "file_hash": "1"})}}, 415),
        ({"data": {"other": "x"}, "files": {"file": ("a.md", NOTE)}}, 422),
        ({"json": {}}, 415),
    ],
)
def test_forms_that_do_not_fit_leave_nothing(client, form, status):
    assert client.post("/api/v1/files/", **form).status_code == status
    assert not open_catalog().jobs.listed(("queued",))


def test_a_file_may_be_larger_than_a_body_and_not_than_a_file(client, monkeypatch):
    monkeypatch.setenv("KHUB_UPLOAD_MB", "5")
    assert send(client, "a.txt", "1", b"lake " * 900_000).status_code == 200
    assert send(client, "b.txt", "1", b"lake " * 1_100_000).status_code == 413


def test_who_has_one_level_writes_what_it_can_read_and_who_has_two_has_to_say_which(client):
    one, _ = create_token("one", write=True, levels=["public"])
    two, _ = create_token("two", write=True, levels=["public", "secret"])
    assert send(client, "a.md", "1", headers=bearer(one)).status_code == 200
    assert send(client, "b.md", "1", headers=bearer(two)).status_code == 422
    run_jobs()
    (row,) = open_catalog().documents.of_collection("wiki")
    assert row["meta"][ACCESS_FIELD] == "public"
    secret, _ = create_token("secret", write=True, levels=["secret"])
    assert send(client, "a.md", "2", headers=bearer(secret)).status_code == 403
    assert diff(client, ("", "b.md", "1"), headers=bearer(secret)).json()["deleted"] == []
