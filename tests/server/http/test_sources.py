"""Sources are listed, and synced when somebody asks, by who may write in their collection."""

import zipfile

import pytest

from khub.components.catalog.access import calling_as
from khub.components.catalog.catalog import open_catalog
from khub.components.home import hub_home
from khub.components.private_files import private_folder
from khub.server.jobs.source_jobs import add_source_job
from khub.server.library.ingest import ingest
from khub.server.named_tokens import create_token, revoke_token
from khub.server.sources.configured import configured_sources
from tests.server.http.conftest import bearer
from tests.server.http.test_graph_routes import until

pytestmark = [pytest.mark.integration, pytest.mark.usefixtures("converted_here")]


@pytest.fixture
def archive(hub, tmp_path):
    """An archive that the collection `birds` is to follow."""
    path = tmp_path / "birds.zip"
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("storks.md", "# Storks\n\nStorks clatter.")
    private_folder(hub_home())
    (hub_home() / "sources.yaml").write_text(f"- {{source: 'zip:{path}', collection: birds}}\n", encoding="utf-8")
    return path


def test_one_is_synced_when_somebody_asks(archive, serving):
    reading, _ = create_token("reader", collections=("birds",))
    other, _ = create_token("other", collections=("default",), write=True)
    writing, _ = create_token("writer", collections=("birds",), write=True)
    with serving("r", "w") as client:
        (source,) = client.get("/sources", headers=bearer(writing)).json()["sources"]
        assert (source["collection"], source["last_at"], source["running"]) == ("birds", None, None)
        assert source["address"] == "zip:birds.zip"
        way = f"/sources/{source['key']}/sync"
        assert client.post(way, headers=bearer(reading)).status_code == 403
        assert client.get("/sources", headers=bearer(other)).json()["sources"] == []
        assert client.post(way, headers=bearer(other)).status_code == 404
        assert client.post(f"/sources/{'0' * 16}/sync", headers=bearer(writing)).status_code == 404
        job = client.post(way, headers=bearer(writing))
        assert job.status_code == 202
        assert client.get("/sources", headers=bearer(reading)).status_code == 200  # while it waits or runs
        place = job.headers["location"]
        until(lambda: client.get(place, headers=bearer(writing)).json()["state"] == "finished", 90)
        (source,) = client.get("/sources", headers=bearer(writing)).json()["sources"]
        assert (source["counts"]["items"], source["problem"]) == (1, "")
        (document,) = client.get("/documents?collection=birds", headers=bearer(writing)).json()["documents"]
        assert document["source"] == "storks.md"
    assert [row["title"] for row in open_catalog().documents.of_collection("birds")] == ["Storks"]


@pytest.fixture
def levelled(archive, tmp_path):
    """Sources of a closed collection, of one that is open in part, of one that is open, and of one with a new level.

    Their entries are of the levels `board`, `public`, `public` and `board`.
    """
    for collection, level in (("closed", "board"), ("half", "board"), ("half", "public"), ("open", "public")):
        note = tmp_path / f"{collection}-{level}.md"
        note.write_text(f"# A note\n\nIt is of {level}, in {collection}.\n", encoding="utf-8")
        assert not ingest([str(note)], collection, meta={"access_level": level}).failed
    other = archive.with_name("other.zip")
    other.write_bytes(archive.read_bytes())
    entries = [("closed", archive, "board"), ("half", archive, "public"), ("open", archive, "public")]
    lines = [
        f"- {{source: 'zip:{path}', collection: {collection}, level: {level}}}\n"
        for collection, path, level in (*entries, ("open", other, "board"))
    ]
    (hub_home() / "sources.yaml").write_text("".join([*lines, "- {source: nothing}\n"]), encoding="utf-8")
    asked = configured_sources()
    for one in asked:
        job = add_source_job(one)
        open_catalog().jobs.update(job["job_id"], {"state": "cancelled"})
        open_catalog().source_states.note(one.key, problem="lost.md is gone", items=2, ended_at="2026-01-01T00:00:00Z")
    return {(one.collection, one.level): one for one in asked}


def test_sources_tell_nothing_of_what_levels_close(levelled, serving):
    limited, _ = create_token("limited", levels=["public"])
    everything, _ = create_token("all")
    add_source_job(levelled["half", "public"])
    with serving() as client:
        told = client.get("/sources", headers=bearer(limited))
        found = {one["collection"]: one for one in told.json()["sources"]}
        assert sorted(found) == ["half", "open"]
        assert "closed" not in told.text
        half, opened = found["half"], found["open"]
        assert (half["counts"], half["problem"], half["running"]) == ({}, "", None)
        assert (opened["counts"]["items"], opened["problem"]) == (2, "lost.md is gone")
        told = client.get("/sources", headers=bearer(everything)).json()["sources"]
        assert [one["collection"] for one in told] == ["", "closed", "half", "open", "open"]
        assert [one["counts"]["items"] for one in told] == [0, 2, 2, 2, 2]
        assert told[2]["running"]


def test_who_may_not_see_all_of_a_sync_asks_for_none(levelled, serving):
    """Its result names what went, and a level that it does not have would be given."""
    limited, _ = create_token("limited", write=True, levels=["public"])
    with serving() as client:

        def synced(*which):
            return client.post(f"/sources/{levelled[which].key}/sync", headers=bearer(limited))

        codes = [synced(*which).json().get("code") for which in (("half", "public"), ("open", "board"))]
        assert codes == ["access_denied", "access_level_not_allowed"]
        assert synced("closed", "board").status_code == 404
        assert open_catalog().jobs.listed(("queued", "running")) == []
        assert synced("open", "public").status_code == 202


def test_nobodys_job_stands_in_for_that_of_another_with_other_rights(levelled):
    asked = levelled["open", "public"]
    _, limited = create_token("limited", write=True, levels=["public"])
    _, everything = create_token("all", write=True)
    with calling_as(limited.caller()):
        first = add_source_job(asked)
        assert add_source_job(asked)["job_id"] == first["job_id"]
    by_schedule = add_source_job(asked)
    assert by_schedule["job_id"] != first["job_id"], "the turn is not lost to a job that may fail"
    with calling_as(everything.caller()):
        assert add_source_job(asked)["job_id"] == by_schedule["job_id"]
    with calling_as(limited.caller()):
        assert add_source_job(asked)["job_id"] == first["job_id"], "it may not see the other one"
    open_catalog().jobs.update(by_schedule["job_id"], {"state": "cancelled"})
    with calling_as(everything.caller()):
        late = add_source_job(asked)
    revoke_token("all")
    assert add_source_job(asked)["job_id"] != late["job_id"], "whose token is gone"
