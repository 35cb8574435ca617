"""Jobs are followed, cancelled, and go on after a restart."""

import os
import signal
import sys

import psutil
import pytest
from starlette.testclient import TestClient

from khub.components.catalog.catalog import open_catalog
from khub.components.errors import StoreError
from khub.server.http.app import build_service
from khub.server.http.service_options import ServiceOptions
from khub.server.http.tokens import Tokens
from khub.server.jobs.child_jobs import ChildJobs
from khub.server.jobs.job_at_work import JobAtWork
from khub.server.jobs.job_record import JobRecord, now
from khub.server.jobs.job_work import WORK, run_job
from khub.server.jobs.put_off import MOST_RETRIES, is_put_off
from khub.server.jobs.runner import Runner
from khub.server.jobs.service_jobs import ask_for_ingest, cancel, new_job_id
from khub.server.jobs.warm_processes import WarmProcesses
from khub.server.library.edits import edit_document
from khub.server.named_tokens import create_token
from tests.server.http.conftest import BASE, bearer
from tests.server.http.test_graph_routes import until
from tests.server.http.test_service import served

pytestmark = pytest.mark.integration

ENDED = ("finished", "failed", "cancelled")
DIES = [sys.executable, "-c", "import os; os._exit(9)"]
WAITS = [sys.executable, "-c", "import sys; sys.stdin.read()"]


@pytest.fixture
def client(hub, serving):
    with serving("r", "w") as client:
        client.headers.update(bearer("w"))
        yield client


def asked(path, collection="other"):
    return ask_for_ingest(new_job_id(), [str(path)], collection, "ingest", {})["job_id"]


def state(job_id):
    return open_catalog().jobs.get(job_id)["state"]


def events(client, address, **headers):
    lines = client.get(f"{address}/events", headers=headers).text.splitlines()
    return [line.partition(": ")[2] for line in lines if line.startswith("event:")]


def test_files_are_not_named_once_they_are_closed(hub, serving):
    token, _ = create_token("one", write=True, levels=["public", "secret"])
    with serving() as client:
        client.headers.update(bearer(token))
        files = [("files", (f"{name}.md", f"# {name}\n\nText.\n".encode())) for name in ("alpha", "beta")]
        level = {"meta": '{"access_level": "secret"}'}
        address = client.post("/documents", files=files, data=level).headers["location"]
        assert events(client, address)[-1] == "finished"
        known = {"params": {"files": True}}
        assert "beta.md" in client.get(address, **known).text
        (row,) = [one for one in open_catalog().documents.of_collection("default") if one["source"].endswith("beta.md")]
        edit_document(row, None, {"access_level": "board"})
        told = [client.get(address, **known), client.get("/jobs"), client.get(f"{address}/events")]
        assert all("beta.md" not in reply.text for reply in told)
        assert [one["source"][-8:] for one in told[0].json()["files"]["written"]] == ["alpha.md"]
        assert told[0].json()["result"]["written"] == 2


def test_a_job_is_followed_from_any_event_on(client):
    reply = client.post("/documents", files=[("files", ("a.md", b"# A\n\nAlpha.\n"))])
    address = reply.headers["location"]
    told = events(client, address)  # it ends with the job
    assert (told[0], told[1], told[-1]) == ("queued", "running", "finished")
    assert "progress" in told
    assert events(client, address, **{"Last-Event-ID": "2"}) == told[2:]
    assert events(client, address, **{"Last-Event-ID": "99"}) == []
    listed = client.get("/jobs", params={"state": "finished"}).json()["jobs"]
    assert [job["job_id"] for job in listed] == [reply.json()["job_id"]]
    assert client.get("/jobs", params={"state": "failed"}).json()["jobs"] == []
    assert client.get(f"/jobs/{'0' * 32}").status_code == 404


def test_a_number_that_no_event_has_breaks_no_stream(hub):
    job_id = asked("/nowhere")
    cancel(job_id)
    service = build_service(ServiceOptions(tokens=Tokens("r", "w")))
    with TestClient(service, base_url=BASE) as client:  # what a stream fails with is raised here
        assert events(client, f"/jobs/{job_id}", **bearer("r"), **{"Last-Event-ID": "9" * 20}) == []


def test_a_job_tells_of_each_file_where_that_is_asked(client):
    files = [("files", ("鸟.md", "# 鸟\n\n鹭。\n".encode())), ("files", ("empty.md", b""))]
    address = client.post("/documents", files=files).headers["location"]
    events(client, address)
    assert client.get(address).json()["files"] is None
    told = client.get(address, params={"files": True}).json()["files"]
    assert [one["source"].rpartition("/")[2] for one in told["written"]] == ["鸟.md"]
    assert [one["source"].rpartition("/")[2] for one in told["failed"]] == ["empty.md"]
    assert client.get("/jobs").json()["jobs"][0].get("files") is None
    assert client.get(address, params={"files": "x"}).status_code == 422


def test_jobs_are_paged(hub, serving):
    ids = [asked("/nowhere") for _ in range(5)]
    with serving("r") as client:
        client.headers.update(bearer("r"))
        seen, cursor = [], None
        while True:
            page = client.get("/jobs", params={"limit": 2, **({"cursor": cursor} if cursor else {})}).json()
            seen += [job["job_id"] for job in page["jobs"]]
            cursor = page["next_cursor"]
            if cursor is None:
                break
        assert sorted(seen) == sorted(ids)


def test_a_job_that_was_cancelled_is_not_begun(hub, tmp_path, serving):
    job_id = asked(tmp_path)
    assert cancel(job_id)["state"] == "cancelled"
    other = asked(tmp_path / "none.md")
    with serving("r", "w"):
        until(lambda: state(other) in ENDED, 60)
        assert state(job_id) == "cancelled"


def test_a_job_of_an_assistant_can_be_cancelled(client, tmp_path):
    (tmp_path / "many").mkdir()
    for number in range(200):
        (tmp_path / "many" / f"{number}.md").write_text(f"# Note {number}\n\n" + f"Number {number} says so. " * 200)
    jobs = ChildJobs()
    job_id = jobs.start([str(tmp_path / "many")], "assistants", "ingest")["job_id"]
    at_work = jobs._running[job_id]
    until(lambda: (open_catalog().jobs.get(job_id).get("progress") or {}).get("done", 0) > 0, 60)
    assert client.delete(f"/jobs/{job_id}").json()["state"] == "cancelled"
    assert at_work.wait(60)
    jobs.end()
    assert state(job_id) == "cancelled"
    there = client.get("/documents", params={"collection": "assistants"}).json()["total"]
    assert 0 < there < 200


def test_a_reindex_is_a_job(client):
    reply = client.post("/collections/default/reindex", json={"graph": "ingest"})
    assert reply.status_code == 202
    until(lambda: client.get(reply.headers["location"]).json()["state"] in ENDED, 60)
    job = client.get(reply.headers["location"]).json()
    assert (job["state"], job["kind"]) == ("finished", "reindex")
    assert client.post("/collections/none/reindex").status_code == 404
    assert client.post("/collections/default/reindex", json={"graph": "query"}).status_code == 422


def test_of_two_services_one_runs_the_jobs(hub, tmp_path):
    (tmp_path / "note.md").write_text("# Note\n\nA note.\n")
    first, second = Runner(), Runner()
    with first.running(), second.running():
        ids = [asked(tmp_path / "note.md", f"c{number}") for number in range(3)]
        until(lambda: all(state(job_id) in ENDED for job_id in ids), 90)
    assert [state(job_id) for job_id in ids] == ["finished"] * 3
    runs = [[event for _, event, _ in open_catalog().jobs.events(job_id, 0)].count("running") for job_id in ids]
    assert runs == [1, 1, 1]


def test_a_process_that_dies_every_time_is_given_up(hub, monkeypatch):
    monkeypatch.setattr("khub.server.jobs.warm_process.command_of", lambda _: DIES)
    job_id = asked("/nowhere")
    with Runner().running():
        until(lambda: state(job_id) == "failed", 30)
    assert open_catalog().jobs.get(job_id)["remedy"]


def test_a_process_that_dies_is_not_given_up_while_it_comes_further(hub, monkeypatch):
    begun = []

    def dying(processes, record):
        begun.append(record)
        record.update(state="running", progress={"done": len(begun), "total": 9})
        return run(processes, record)

    run = WarmProcesses.run
    monkeypatch.setattr(WarmProcesses, "run", dying)
    monkeypatch.setattr("khub.server.jobs.warm_process.command_of", lambda _: DIES)
    job_id = asked("/nowhere")
    with Runner().running():
        until(lambda: len(begun) > 5, 30)
    assert state(job_id) == "queued"


def test_a_service_that_is_told_to_stop_puts_its_jobs_back(hub, monkeypatch):
    started = []

    def waiting(processes, record):
        started.append(record)
        record.update(state="running")
        return run(processes, record)

    run = WarmProcesses.run
    monkeypatch.setattr(WarmProcesses, "run", waiting)
    monkeypatch.setattr("khub.server.jobs.warm_process.command_of", lambda _: WAITS)
    job_id = asked("/nowhere")
    for times in range(1, 5):
        with Runner().running():
            until(lambda: len(started) == times, 30)  # noqa: B023
        assert (state(job_id), open_catalog().jobs.get(job_id)["resumed"]) == ("queued", times)


@pytest.mark.parametrize("left", ["running", "interrupted"])
def test_a_job_whose_service_is_killed_is_never_to_blame(hub, monkeypatch, left):
    started = []

    def waiting(processes, record):
        started.append(record)
        return run(processes, record)

    run = WarmProcesses.run
    monkeypatch.setattr(WarmProcesses, "run", waiting)
    monkeypatch.setattr("khub.server.jobs.warm_process.command_of", lambda _: WAITS)
    job_id = asked("/nowhere")
    for times in range(1, 6):
        open_catalog().jobs.update(job_id, {"state": left})  # as a service leaves it that is killed
        with Runner().running():
            until(lambda: len(started) == times, 30)  # noqa: B023
    job = open_catalog().jobs.get(job_id)
    assert (job["state"], job["resumed"], job.get("tries", 0)) == ("queued", 5, 0)


def test_what_is_deleted_comes_back_by_no_upload_that_waits(client):
    """The queue is served in its order, and the first job needs longer than a request."""

    def send(name):
        body = {"source": name, "text": f"# {name}\n\nIt flies.", "collection": "birds"}
        return client.post("/documents", json=body).headers["location"]

    def job(address):
        until(lambda: client.get(address).json()["state"] in ENDED, 60)
        return client.get(address, params={"files": True}).json()

    job(send("heron.md"))
    (row,) = client.get("/documents", params={"collection": "birds"}).json()["documents"]
    document = f"/documents/{row['doc_id']}"
    before, again = send("owl.md"), send("heron.md")
    assert client.delete(document).status_code == 200
    later = send("stork.md")
    assert job(before)["state"] == job(later)["state"] == "finished"
    assert (job(again)["result"]["removed"], job(again)["files"]["removed"]) == (1, [row["source"]])
    assert client.get(document).status_code == 404


@pytest.mark.parametrize("path", ["/documents/{doc_id}", "/collections/default"])
def test_nothing_is_deleted_that_a_job_is_at_work_on(client, path):
    row = open_catalog().documents.of_collection("default")[0]
    record = JobRecord(new_job_id())
    with record.held():  # as the job's process does
        about = {"kind": "ingest", "state": "running", "collection": "default", "caller": ""}
        record.add(**about, graph="ingest", paths=[row["source"]], started_at=now())
        refused = client.delete(path.format(**row))
        assert refused.status_code == 409
        assert "at work" in refused.json()["detail"]
        assert refused.json()["remedy"]
        record.update(state="finished")
    assert client.get(f"/documents/{row['doc_id']}").status_code == 200
    assert client.delete(path.format(**row)).status_code == 200


def test_jobs_run_in_their_order_and_none_is_lost_behind_many(hub, monkeypatch):
    cut_short = asked("/nowhere")
    open_catalog().jobs.update(cut_short, {"state": "running"})
    ids = [asked("/nowhere") for _ in range(260)]
    for number in range(260):  # of assistants: they are no service's
        about = {"kind": "ingest", "state": "interrupted", "collection": "c", "caller": ""}
        open_catalog().jobs.add({"job_id": f"{number:032x}", **about})
    begun = []

    def at_once(_, record):
        begun.append(record.job_id)
        record.update(state="finished")
        job = JobAtWork(lambda _: None)
        job.set_over()
        return job

    monkeypatch.setattr(WarmProcesses, "run", at_once)
    monkeypatch.setattr("khub.server.jobs.runner.LOOK_S", 0.01)
    with Runner().running():
        until(lambda: len(begun) > 3, 30)
    assert begun[:4] == [cut_short, *ids[:3]]


@pytest.mark.e2e
@pytest.mark.skipif(sys.platform == "win32", reason="no SIGKILL")
def test_a_job_goes_on_after_the_service_was_killed(hub, tmp_path):
    files = tmp_path / "many"
    files.mkdir()
    for number in range(120):
        (files / f"{number}.md").write_text(f"# Note {number}\n\n" + f"Number {number} says so. " * 200)
    with served(tmp_path) as (process, _):
        job_id = asked(files)
        until(lambda: (open_catalog().jobs.get(job_id).get("progress") or {}).get("done", 0) > 0, 60)
        os.kill(process.pid, signal.SIGKILL)
    before = open_catalog().jobs.get(job_id)
    assert before["state"] == "running"
    with served(tmp_path) as (_, client):
        until(lambda: state(job_id) in ENDED, 90)
        job = client.get(f"/jobs/{job_id}").json()
    assert (job["state"], job["resumed"]) == ("finished", 1)
    assert job["result"]["unchanged"] > 0
    assert job["result"]["unchanged"] + job["result"]["written"] == 120


@pytest.mark.e2e
@pytest.mark.skipif(sys.platform == "win32", reason="no SIGKILL")
@pytest.mark.parametrize("how", ["SIGTERM", "SIGKILL"])
def test_no_process_of_jobs_outlives_its_service(hub, tmp_path, how):
    (tmp_path / "note.html").write_text("<h1>Note</h1>\n\n<p>A note.</p>\n", encoding="utf-8")
    with served(tmp_path) as (process, _):
        job_id = asked(tmp_path / "note.html")
        until(lambda: state(job_id) in ENDED, 60)
        waiting = psutil.Process(process.pid).children(recursive=True)
        assert any("khub.server.jobs.job_process" in one.cmdline() for one in waiting)
        os.kill(process.pid, getattr(signal, how))
        process.wait(30)
        assert psutil.wait_procs(waiting, 10)[1] == []


def test_a_job_whose_store_cannot_be_reached_is_tried_again_and_nothing_overtakes_it(hub, tmp_path, monkeypatch):
    (tmp_path / "a.md").write_text("# A\n\nAlpha.\n", encoding="utf-8")
    first = asked(tmp_path / "a.md")
    later = asked(tmp_path / "b.md")
    monkeypatch.setitem(WORK, "ingest", unreachable)
    for retries in range(1, MOST_RETRIES + 1):
        assert open_catalog().jobs.waiting([])["job_id"] == first
        assert not run_job(first)
        job = open_catalog().jobs.get(first)
        assert (job["state"], job["retries"], is_put_off(job)) == ("queued", retries, True)
        assert open_catalog().jobs.waiting([]) is None
        JobRecord(first).update(retry_at=now())
    assert not run_job(first)
    assert state(first) == "failed"
    assert open_catalog().jobs.waiting([])["job_id"] == later


def unreachable(*_):
    raise StoreError("the object store is away", "start it", code="store_unreachable")


def test_a_job_that_was_put_off_is_done_when_its_store_is_back(hub, serving, tmp_path, monkeypatch):
    (tmp_path / "a.md").write_text("# A\n\nAlpha.\n", encoding="utf-8")
    job_id = asked(tmp_path / "a.md")
    with monkeypatch.context() as away:
        away.setitem(WORK, "ingest", unreachable)
        away.setattr("khub.server.jobs.put_off.FIRST_AFTER_S", 0.5)
        run_job(job_id)
    with serving():
        until(lambda: state(job_id) in ENDED)
    assert state(job_id) == "finished"
