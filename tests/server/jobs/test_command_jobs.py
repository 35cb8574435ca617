"""Ingests of the command line are kept in the history, however they end."""

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from khub.components.catalog.catalog import open_catalog
from khub.components.errors import KhubError
from khub.server.jobs import command_jobs
from khub.server.jobs.command_jobs import command_job
from khub.server.jobs.known_jobs import known_jobs
from khub.server.library.ingest_result import IngestResult, Progress

pytestmark = pytest.mark.unit
BEGUN = Progress(0, 1, 0, 0, 0)
CODE = """
from khub.server.jobs.command_jobs import command_job
from khub.server.library.ingest_result import Progress
with command_job("khub ingest", "ingest", "docs", "ingest", paths=["/a"]) as job:
    job.noting()(Progress(0, 1, 0, 0, 0))
    print("begun", flush=True)
    input()
"""


def rows():
    return known_jobs((), 0, 100)[1]


def test_what_came_of_it_is_kept():
    with command_job("khub ingest", "ingest", "docs", "ingest", paths=["/a"]) as job:
        job.noting()(BEGUN)
        (row,) = rows()
        assert (row["state"], row["door"]) == ("running", "khub ingest")
        failure = {"source": "/a/x", "stage": "convert", "error": "is empty", "remedy": "leave it out"}
        job.result = IngestResult("docs", "ingest", failed=[failure], unchanged=["/a/y"], seconds=1.25)
    (row,) = rows()
    assert (row["state"], row["result"]["failed"], row["result"]["unchanged"]) == ("finished", 1, 1)
    assert row["result"]["failures"] == [failure]
    assert not list((open_catalog().home / "jobs").glob("*.lock"))


@pytest.mark.parametrize(
    ("raised", "state"), [(KhubError("a store is down", "start it"), "failed"), (KeyboardInterrupt(), "cancelled")]
)
def test_so_is_what_ended_it(raised, state):
    def ended():
        with command_job("khub sync", "sync", "docs", "ingest", folder="/a") as job:
            job.noting()(BEGUN)
            raise raised

    with pytest.raises(type(raised)):
        ended()
    (row,) = rows()
    assert row["state"] == state
    assert row.get("error") == (raised.message if state == "failed" else None)


def test_a_killed_one_is_interrupted(monkeypatch):
    with subprocess.Popen(
        [sys.executable, "-c", CODE], cwd=Path(__file__).parents[3], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout.readline().strip() == b"begun"
        assert rows()[0]["state"] == "running"
        process.send_signal(signal.SIGKILL if sys.platform != "win32" else signal.SIGTERM)
        process.wait()
    deadline = time.monotonic() + 10
    while rows()[0]["state"] == "running":
        assert time.monotonic() < deadline
        time.sleep(0.05)
    assert rows()[0]["state"] == "interrupted"
    assert rows()[0]["remedy"]


def test_nothing_is_written_where_nothing_is_done():
    with pytest.raises(KhubError), command_job("khub ingest", "ingest", "docs", "ingest", paths=["/a"]):
        raise KhubError("refused before any work")
    assert not open_catalog().database.path.is_file()
    open_catalog().collections.create("docs")
    with command_job("khub watch", "sync", "docs", "ingest", folder="/a") as job:
        job.noting()(Progress(0, 0, 0, 0, 0))
        job.result = IngestResult("docs", "ingest")
    assert rows() == []


def test_only_the_newest_are_kept_and_no_other_job_goes(monkeypatch):
    monkeypatch.setattr(command_jobs, "MOST_KEPT", 3)
    open_catalog().jobs.add({"job_id": "f" * 32, "state": "finished", "collection": "docs", "kind": "ingest"})
    for number in range(5):
        with command_job("khub ingest", "ingest", f"docs{number}", "ingest") as job:
            job.noting()(BEGUN)
    assert sorted(row["collection"] for row in rows()) == ["docs", "docs2", "docs3", "docs4"]
    open_catalog().jobs.forget_of_commands("9999", 3)
    assert [row["collection"] for row in rows()] == ["docs"]


def test_an_ingest_goes_on_where_its_row_cannot_be_written(monkeypatch, caplog):
    open_catalog().collections.create("docs")

    def full(*_):
        raise OSError("no space left")

    monkeypatch.setattr("khub.components.catalog.jobs.Jobs.add", full)
    with command_job("khub ingest", "ingest", "docs", "ingest") as job:
        job.noting()(BEGUN)
        job.result = IngestResult("docs", "ingest")
    assert "no space left" in caplog.text
