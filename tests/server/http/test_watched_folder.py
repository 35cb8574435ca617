"""A service keeps a collection like a folder."""

import threading
from functools import partial

import pytest

from components.errors import KhubError
from server.jobs import watched_folder
from server.jobs.watched_folder import WatchedFolder
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
