"""What is known of a job while several processes look at it."""

import threading
from datetime import UTC, datetime, timedelta

import portalocker
import pytest
from mcp.server.mcpserver.exceptions import ToolError

from khub.components.catalog.jobs import Jobs as CatalogJobs
from khub.server.jobs.child_jobs import ChildJobs
from khub.server.jobs.job_at_work import JobAtWork
from khub.server.jobs.job_record import STARTING_S, JobRecord
from khub.server.jobs.warm_processes import WarmProcesses
from khub.server.mcp.tool_errors import told_to_the_model

pytestmark = pytest.mark.unit


@pytest.fixture
def record():
    record = JobRecord("0" * 32)
    about = {"kind": "ingest", "collection": "default", "graph": "ingest", "paths": ["/x"]}
    record.add(state="queued", started_at=_ago(0), **about)
    return record


def _ago(seconds):
    return (datetime.now(UTC) - timedelta(seconds=seconds)).isoformat(timespec="seconds")


def test_job_waits_for_whoever_looks_at_its_lock(record):
    looking, waiting = threading.Event(), threading.Event()

    def look():
        with record.held():
            looking.set()
            waiting.wait(10)

    thread = threading.Thread(target=look)
    thread.start()
    assert looking.wait(10)
    threading.Timer(0.1, waiting.set).start()
    with JobRecord(record.job_id).held():
        assert waiting.is_set()
    thread.join()


def test_lock_that_another_process_keeps_is_refused_in_the_end(record):
    with record.held(), pytest.raises(portalocker.exceptions.LockException), JobRecord(record.job_id).held(wait_s=0.05):
        pass


def test_job_that_has_just_been_asked_for_is_not_called_interrupted_by_another_server(record):
    assert ChildJobs().status(record.job_id)["state"] == "queued"
    record.update(started_at=_ago(STARTING_S + 1))
    assert ChildJobs().status(record.job_id)["state"] == "interrupted"


def test_running_job_is_interrupted_only_when_nobody_holds_its_lock(record):
    record.update(state="running", progress={"done": 3})
    with record.held():
        assert ChildJobs().status(record.job_id)["state"] == "running"
    found = ChildJobs().status(record.job_id)
    assert (found["state"], found["progress"], record.read()["state"]) == ("interrupted", {"done": 3}, "interrupted")


def test_interrupted_job_is_taken_up_once(record):
    assert not record.take_up()  # it waits for its process
    record.update(state="running", progress={"done": 3})
    record.close_if_abandoned()
    with record.held():
        assert not JobRecord(record.job_id).take_up()  # another server is about to
    assert record.take_up()
    assert not record.take_up()
    found = record.read()
    assert (found["state"], found["resumed"], found["paths"]) == ("queued", 1, ["/x"])
    assert "progress" not in found
    assert "remedy" not in found


@pytest.mark.parametrize(
    ("paths", "collection", "graph", "same"),
    [
        (["/y", "/x"], "default", "ingest_fast", True),
        (["/x"], "default", "ingest_fast", False),
        (["/x", "/y"], "other", "ingest_fast", False),
        (["/x", "/y"], "default", "ingest", False),
    ],
)
def test_job_of_the_same_arguments_alone_is_taken_up(monkeypatch, paths, collection, graph, same):
    gone = JobAtWork(lambda _: None)
    gone.set_over()
    monkeypatch.setattr(WarmProcesses, "run", lambda *_: gone)
    jobs = ChildJobs()
    first = jobs.start(["/x", "/y"], "default", "ingest_fast")["job_id"]
    assert jobs.status(first)["state"] == "interrupted"
    assert (jobs.start(paths, collection, graph)["job_id"] == first) is same


@pytest.mark.parametrize("state", ["finished", "failed"])
def test_job_that_has_ended_stays_as_it_is(record, state):
    record.update(state=state)
    record.close_if_abandoned(started_here=True)
    assert record.read()["state"] == state


def test_job_is_interrupted_also_where_there_is_no_room_to_write_that_down(record, monkeypatch):
    def no_room(*_, **__):
        raise OSError(28, "No space left on device")

    record.update(state="running")
    monkeypatch.setattr(CatalogJobs, "update", no_room)
    monkeypatch.setattr(CatalogJobs, "add", no_room)
    assert ChildJobs().status(record.job_id)["state"] == "interrupted"
    with pytest.raises(ToolError, match="no room"), told_to_the_model():
        ChildJobs().start(["/x"], "default", "ingest")
