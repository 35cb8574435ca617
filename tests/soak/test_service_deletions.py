"""What is deleted while uploads wait, and while the service is killed again and again, does not come back."""

import os
import random
import shutil
import signal
import sys
import time
from pathlib import Path

import httpx
import pytest

from khub.components.catalog.catalog import open_catalog
from khub.server.library.doctor import diagnose
from tests.soak.service import Service, ended, ended_job, note, serving, until
from tests.soak.test_attacks import khub

pytestmark = [pytest.mark.soak, pytest.mark.timeout(600)]
BLOCK = "# Block\n\n" + "\n\n".join(f"Paragraph {number} about block {number % 9}." for number in range(4000))
ROUNDS, KILLS = 3, 6
COLLECTION = "birds"


def send(client: httpx.Client, name: str, text: str, collection: str = COLLECTION) -> httpx.Response:
    return client.post("/documents", json={"source": name, "text": text, "collection": collection})


def test_a_deletion_wins_over_uploads_that_wait(tmp_path: Path) -> None:
    with serving(tmp_path) as service, service.client() as client:
        for number in range(ROUNDS):
            name = f"ghost{number}.md"
            ended(client, send(client, name, "# G\n\nghostword one"))
            (row,) = client.get("/documents", params={"collection": COLLECTION, "text": name}).json()["documents"]
            block = send(client, "block.md", f"{BLOCK} {number}")
            waits = [send(client, name, f"# G\n\nghostword {n}") for n in range(3)]
            assert client.delete(f"/documents/{row['doc_id']}").status_code == 200
            assert ended(client, block)["state"] == "finished"
            assert [ended(client, one)["result"]["removed"] for one in waits] == [1, 1, 1]
            assert client.get(f"/documents/{row['doc_id']}").status_code == 404
    note("documents deleted while three uploads of each wait", f"0 of {ROUNDS} back", "none")


def test_a_collection_that_a_job_is_at_work_in_is_not_half_deleted(tmp_path: Path) -> None:
    with serving(tmp_path) as service, service.client() as client:
        block = send(client, "block.md", BLOCK)
        until(lambda: client.get(block.headers["location"]).json()["state"] == "running")
        waits = send(client, "z.md", "# Z\n\nzed")
        assert client.delete(f"/collections/{COLLECTION}").status_code in (404, 409)  # before its first document, 404
        assert [ended(client, one)["state"] for one in (block, waits)] == ["finished"] * 2
        block, waits = send(client, "block.md", BLOCK + " again"), send(client, "z.md", "# Z\n\nzed again")
        until(lambda: client.get(block.headers["location"]).json()["state"] == "running")
        assert client.delete(f"/collections/{COLLECTION}").status_code == 409
        ended(client, block)
        until(lambda: client.delete(f"/collections/{COLLECTION}").status_code == 200, 60)
        ended(client, waits)
        time.sleep(1)  # nothing is to come
        assert client.get(f"/collections/{COLLECTION}").status_code == 404
    note("a collection deleted with jobs at work and waiting", "409, then gone for good", "not back")


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGKILL")
def test_kills_of_the_service_lose_no_upload_and_bring_nothing_back(tmp_path: Path) -> None:
    chance, present, deleted, jobs = random.Random(7), set[str](), set[str](), list[str]()
    for _ in range(KILLS):
        with serving(tmp_path) as service, service.client() as client:
            _send_and_delete(client, chance, present, deleted, jobs)
            os.kill(service.process.pid, signal.SIGKILL)
            service.process.wait(30)
    with serving(tmp_path) as service, service.client() as client:
        states = {ended_job(client, address, 400)["state"] for address in jobs}
        there = _names(service)
    assert states == {"finished"}
    assert present <= there
    assert not deleted & there
    assert all(one.healthy for one in diagnose())
    told = f"{len(jobs)} jobs finished, {len(present)} uploads there, 0 of {len(deleted)} deletions undone"
    note(f"{KILLS} kills of the service during uploads and deletions", told, "all, none")


def _send_and_delete(
    client: httpx.Client, chance: random.Random, present: set[str], deleted: set[str], jobs: list[str]
) -> None:
    until_s = time.monotonic() + chance.choice([0.3, 1, 3, 6])
    while time.monotonic() < until_s:
        name = f"k{len(jobs)}.md"
        reply = send(client, name, f"# {name}\n\nkillword{len(jobs)} flies.")
        if reply.status_code == httpx.codes.ACCEPTED:
            present.add(name)
            jobs.append(reply.headers["location"])
        listed = client.get("/documents", params={"collection": COLLECTION, "limit": 200})
        if listed.is_success and (rows := listed.json()["documents"]) and chance.random() < 0.3:
            row = chance.choice(rows)
            if client.delete(f"/documents/{row['doc_id']}").is_success:
                deleted.add(Path(row["source"]).name)
                present.discard(Path(row["source"]).name)
        time.sleep(0.2)


def _names(_: Service) -> set[str]:
    return {Path(row["source"]).name for row in open_catalog().documents.of_collection(COLLECTION, "ready")}


def test_an_unmounted_subfolder_loses_nothing_unasked(tmp_path: Path) -> None:
    folder = tmp_path / "files"
    names = [*(f"t{number}.md" for number in range(7)), *(f"sub/s{number}.md" for number in range(4))]
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(f"# {name}\n", encoding="utf-8")
    khub(tmp_path, "sync", "files")
    (folder / "sub").rename(tmp_path / "away")
    (folder / "sub").mkdir()
    assert "4 of 11 documents" in khub(tmp_path, "sync", "files", code=1)
    assert khub(tmp_path, "list").count(".md") >= len(names)
    shutil.rmtree(folder / "sub")
    (tmp_path / "away").rename(folder / "sub")
    assert "11 unchanged" in khub(tmp_path, "sync", "files")
    shutil.rmtree(folder / "sub")
    assert "4 removed" in khub(tmp_path, "sync", "files", "--yes")
