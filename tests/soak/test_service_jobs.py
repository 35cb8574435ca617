"""Jobs whose service, or whose own process, is ended in the middle: they go on, and nothing lives on or comes twice."""

import os
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from khub.components.catalog.catalog import open_catalog
from khub.eval.bench.corpus import Corpus
from tests.components.converters.files import word_file
from tests.soak.service import Service, ended_job, note, part, send, serving, until

pytestmark = [pytest.mark.soak, pytest.mark.skipif(sys.platform == "win32", reason="no SIGKILL")]
TEXTS, WORD_FILES, CHARACTERS = 120, 20, 20_000
STOPS = 3


def test_a_job_survives_that_its_service_is_killed(tmp_path: Path) -> None:
    job_id, alive_s = _stopped(tmp_path, 1, signal.SIGKILL)
    job = _finished(tmp_path, job_id)
    note("kill -9 of the service during a job", f"its processes gone after {alive_s:.1f} s; {job}", "all, once each")


def test_a_job_survives_restarts_of_its_service(tmp_path: Path) -> None:
    job_id, alive_s = _stopped(tmp_path, STOPS, signal.SIGTERM)
    job = _finished(tmp_path, job_id)
    note(f"{STOPS} restarts during a job", f"its processes gone after {alive_s:.1f} s; {job}", "all, once each")


def test_a_job_survives_that_its_process_is_killed(tmp_path: Path) -> None:
    with serving(tmp_path) as service:
        job_id = _begun(service)
        _wait_for_progress(job_id, 0)
        children = service.children()
        _job_process(service).kill()
        gone_s = _gone(lambda: children)
        job = _finished_by(service, job_id)
    note("kill -9 of the process of a job", f"its processes gone after {gone_s:.1f} s; {job}", "all, once each")


def _stopped(folder: Path, times: int, how: signal.Signals) -> tuple[str, float]:
    """Begin a job, and stop its service so often; return the job, and how long its processes lived at most."""
    job_id, slowest, done = "", 0.0, 0
    for _ in range(times):
        with serving(folder) as service:
            job_id = job_id or _begun(service)
            done = _wait_for_progress(job_id, done)
            children = service.children()
            assert children
            os.kill(service.process.pid, how)
            service.process.wait(30)
            slowest = max(slowest, _gone(lambda: children))  # noqa: B023
    return job_id, slowest


def _begun(service: Service) -> str:
    corpus = Corpus("en", seed=5)
    texts = [part(f"{n}.md") + corpus.document(CHARACTERS).encode() for n in range(TEXTS)]
    words = [part(f"{n}.docx") + word_file(f"<w:p><w:r><w:t>Word {n}</w:t></w:r></w:p>") for n in range(WORD_FILES)]
    with service.client() as client:
        return str(send(client, *words, *texts).json()["job_id"])


def _wait_for_progress(job_id: str, done: int) -> int:
    def further() -> int:
        assert _job(job_id)["state"] != "failed", _job(job_id)
        return int((_job(job_id).get("progress") or {}).get("done", 0))

    until(lambda: further() > done, 60)
    return further()


def _job(job_id: str) -> dict[str, object]:
    return open_catalog().jobs.get(job_id) or {}


def _job_process(service: Service) -> psutil.Process:
    (found,) = [one for one in service.children() if "khub.server.jobs.job_process" in one.cmdline()]
    return found


def _gone(processes: Callable[[], list[psutil.Process]]) -> float:
    began = time.monotonic()
    _, left = psutil.wait_procs(processes(), timeout=10)
    assert left == []
    return time.monotonic() - began


def _finished(folder: Path, job_id: str) -> str:
    with serving(folder) as service:
        return _finished_by(service, job_id)


def _finished_by(service: Service, job_id: str) -> str:
    count = TEXTS + WORD_FILES
    with service.client() as client:
        job = ended_job(client, f"/jobs/{job_id}")
        assert job["state"] == "finished", job
        (collection,) = client.get("/collections").json()["collections"]
        assert (job["result"]["failed"], collection["documents"]) == (0, count)
        assert _job_process(service).is_running()  # it waits for the next job
    rows = open_catalog().documents.of_collection("default", "ready")
    assert len({row["source"] for row in rows}) == len(rows) == count
    return f"finished, taken up {job['resumed']} times, {job['result']['unchanged']} of {count} were done before"
