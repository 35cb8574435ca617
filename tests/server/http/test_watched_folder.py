"""A service keeps a collection like a folder."""

import threading
from functools import partial

import pytest

from khub.components.errors import KhubError
from khub.server.jobs import watched_folder
from khub.server.jobs.watched_folder import WatchedFolder
from khub.server.library.ingest import ingest
from tests.server.http.test_graph_routes import until

pytestmark = pytest.mark.integration


def test_a_collection_follows_its_folder_and_does_not_empty_itself(fixed_graphs, tmp_path, serving):
    folder = tmp_path / "watched"
    folder.mkdir()
    for name in ("heron", "owl", "鹤"):
        (folder / f"{name}.md").write_text(f"# {name}\n\nIt flies.\n", encoding="utf-8")
    with serving(watched=WatchedFolder(folder, "birds")) as client:

        def titles():
            reply = client.get("/documents", params={"collection": "birds"})
            return [row["title"] for row in reply.json().get("documents", [])]

        until(lambda: titles() == ["heron", "owl", "鹤"], 60)
        (folder / "owl.md").unlink()
        until(lambda: titles() == ["heron", "鹤"], 60)
        (folder / "owl.md").write_text("# Barn owl\n\nIt hunts.\n", encoding="utf-8")
        until(lambda: "Barn owl" in titles(), 60)
        for file in folder.iterdir():
            file.unlink()  # as where a disk is no longer mounted

        def last():
            return client.get("/jobs").json()["jobs"][0]

        until(lambda: (last()["result"] or {}).get("gone_and_kept") == 3, 60)
        assert len(titles()) == 3
        assert {job["kind"] for job in client.get("/jobs").json()["jobs"]} == {"sync"}


def test_a_share_that_is_not_mounted_keeps_its_documents_and_any_document_is_followed(fixed_graphs, tmp_path, serving):
    folder, named = tmp_path / "watched", tmp_path / "watched" / "named.foo"
    for name in ("heron", "owl", "stork", "share/crane"):
        file = folder / f"{name}.md"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"# {name}\n\nIt flies.\n", encoding="utf-8")
    named.write_text("A stork flies.\n", encoding="utf-8")
    ingest([str(folder), str(named)], "birds")
    with serving(watched=WatchedFolder(folder, "birds")) as client:

        def last():
            jobs = client.get("/jobs").json()["jobs"]
            return (jobs and jobs[0]["result"]) or {}

        until(lambda: last().get("unchanged") == 5, 60)
        named.write_text("Jackdaws fly.\n", encoding="utf-8")
        until(lambda: last().get("written") == 1, 60)
        (folder / "share").rename(tmp_path / "away")
        until(lambda: last().get("gone_and_kept") == 1, 60)
        assert (last()["removed"], last()["emptied"], last()["kept"]) == (0, [str(folder / "share")], 1)
        (folder / "owl.md").unlink()
        until(lambda: last().get("removed") == 1, 60)
        assert last()["gone_and_kept"] == 1
        asked = {"query": "jackdaws", "collection": "birds"}
        assert "Jackdaws" in client.post("/query/run", json={**asked, "legs": ["sparse"]}).text
        there = client.get("/documents", params={"collection": "birds"}).json()["documents"]
        assert "share/crane" in [row["title"] for row in there]


def test_a_watch_goes_on_after_a_job_could_not_be_asked_for(fixed_graphs, tmp_path, monkeypatch):
    asked, stop = [], threading.Event()

    def full(*_):
        asked.append(1)
        raise KhubError("the disk is full", "make room")

    monkeypatch.setattr(watched_folder, "ask_for_sync", full)
    monkeypatch.setattr(watched_folder, "watch_folder", partial(watched_folder.watch_folder, every=0.01, retry=0.05))
    watching = threading.Thread(target=WatchedFolder(tmp_path, "birds").watch, args=(stop,))
    watching.start()
    try:
        until(lambda: len(asked) > 1, 10)
    finally:
        stop.set()
        watching.join(10)
