"""Two machines with one catalog and one object store: what is sent to one is ingested by the other."""

import os
import shutil
import signal
import subprocess
import sys

import httpx
import pytest

from khub.components.catalog.catalog import open_catalog
from khub.server.jobs.service_jobs import ask_for_ingest, new_job_id
from tests.conditions import until

pytest.importorskip("psycopg_pool", reason="pip install psycopg")
pytest.importorskip("obstore", reason="pip install obstore")
pytestmark = pytest.mark.e2e

TOKEN = "a-token-of-the-test-that-may-write"
KHUB = [sys.executable, "-m", "khub.server.cli"]


@pytest.fixture(autouse=True)
def shared(new_database, in_s3, monkeypatch):
    monkeypatch.setenv("KHUB_DATABASE_URL", new_database())
    monkeypatch.setenv("KHUB_WRITE_TOKEN", TOKEN)
    yield
    from khub.components.catalog.postgres_database import close_all

    close_all()


@pytest.fixture
def started(tmp_path):
    """A function: start a command on a machine; it ends with the test."""
    running = []

    def start(machine, *words):
        environment = {**os.environ, "KHUB_HOME": str(tmp_path / machine)}
        process = subprocess.Popen(
            [*KHUB, *words], env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
        )
        running.append(process)
        return process

    yield start
    for process in running:
        process.send_signal(signal.SIGINT)
    for process in running:
        process.wait(20)


def address_of(server):
    for line in server.stderr:
        if "serving " in line:
            return line.split("serving ")[1].split(",")[0]
    raise AssertionError("the server ended")


def kept(url):
    import obstore
    from obstore.store import from_url

    return sorted(one["path"] for part in obstore.list(from_url(url)) for one in part)


def states():
    return [(job["state"], job.get("taken_by")) for job in open_catalog().jobs.listed()]


def test_what_is_sent_to_a_server_is_ingested_by_a_worker_elsewhere_and_found_everywhere(started, tmp_path, in_s3):
    server = started("hub", "serve", "--port", "0", "--no-worker")
    url = address_of(server)
    text = "# Herons\n\nHerons wade in shallow water at dawn.\n"
    client = httpx.Client(base_url=url, headers={"Authorization": f"Bearer {TOKEN}"}, timeout=60)
    sent = client.post("/documents", files={"files": ("herons.md", text)})
    assert sent.status_code == 202, sent.text
    assert [state for state, _ in states()] == ["queued"]
    for folder in ("waiting", "incoming"):  # on the disk of another machine nothing lies there
        shutil.rmtree(tmp_path / "hub" / folder, ignore_errors=True)
    started("hub", "worker")
    until(lambda: [state for state, _ in states()] == ["finished"], states)
    answer = client.post("/query/run", json={"query": "when do herons wade"}).json()
    assert "Herons wade in shallow water" in str(answer)
    assert "'degraded': []" in str(answer)
    [row] = open_catalog().documents.of_collection("default")
    file = client.get(f"/documents/{row['doc_id']}/original")
    assert file.text == text
    shutil.rmtree(tmp_path / "hub" / "uploads")
    again = client.post("/documents", files={"files": ("herons.md", text + "They nest in pines.\n")})
    assert again.status_code == 202
    until(lambda: [state for state, _ in states()] == ["finished"] * 2, states)
    assert len(open_catalog().documents.of_collection("default")) == 1
    assert client.delete(f"/documents/{row['doc_id']}").status_code < 300
    assert kept(in_s3) == []


def test_the_jobs_of_a_worker_that_was_killed_are_taken_over(started, tmp_path):
    folder = tmp_path / "notes"
    folder.mkdir()
    for number in range(200):
        (folder / f"{number}.md").write_text(f"# Note {number}\n\n" + f"Kingfisher {number} dives. " * 60)
    ask_for_ingest(new_job_id(), [str(folder)], "default", "ingest", {})
    first = started("first", "worker")
    until(lambda: [state for state, _ in states()] == ["running"], states)
    [(_, taken_by)] = states()
    first.kill()
    started("second", "worker")
    until(lambda: states()[0][0] == "finished", states)
    assert states()[0][1] != taken_by
    assert len(open_catalog().documents.of_collection("default", "ready")) == 200


def test_a_job_is_taken_once_and_a_collection_by_one_machine_at_a_time(tmp_path):
    jobs = open_catalog().jobs
    ids = [new_job_id() for _ in range(3)]
    for job_id, collection in zip(ids, ("a", "a", "b"), strict=True):
        ask_for_ingest(job_id, [str(tmp_path / "x.md")], collection, "ingest", {})
    assert jobs.take(ids[0], "first")
    assert not jobs.take(ids[0], "second")
    assert not jobs.take(ids[1], "second")
    assert jobs.waiting([])["job_id"] == ids[2]
    assert jobs.take(ids[2], "second")
    assert jobs.waiting([]) is None


def test_two_workers_do_all_jobs_once(started, tmp_path):
    folder = tmp_path / "notes"
    folder.mkdir()
    for number in range(6):
        (folder / f"{number}.md").write_text(f"# Note {number}\n\nKingfisher {number} dives.\n")
        ask_for_ingest(new_job_id(), [str(folder / f"{number}.md")], f"c{number}", "ingest_fast", {})
    for machine in ("first", "second"):
        started(machine, "worker", "--concurrency", "1")
    until(lambda: {state for state, _ in states()} == {"finished"}, states)
    assert all(job.get("resumed", 0) == 0 for job in open_catalog().jobs.listed())
    assert len({taken_by for _, taken_by in states()}) == 2


def test_a_worker_may_be_kept_to_some_collections(started, tmp_path):
    for name in ("manuals", "letters", "reports"):
        (tmp_path / f"{name}.md").write_text(f"# {name}\n\nA kingfisher dives in {name}.\n")
        ask_for_ingest(new_job_id(), [str(tmp_path / f"{name}.md")], name, "ingest_fast", {})

    def done():
        return {job["collection"] for job in open_catalog().jobs.listed() if job["state"] == "finished"}

    started("first", "worker", "--collection", "letters", "-c", "reports")
    until(lambda: done() == {"letters", "reports"}, states)
    assert [job["collection"] for job in open_catalog().jobs.listed(("queued",))] == ["manuals"]
    started("second", "worker", "-c", "manuals")
    until(lambda: len(done()) == 3, states)
