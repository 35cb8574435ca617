"""Ingests that run in other processes while the server goes on answering."""

import threading
import uuid
from collections.abc import Sequence
from typing import Any

from khub.components.catalog.access import caller, require_collection
from khub.components.catalog.job_row import JobRow
from khub.components.catalog.jobs import ENDED
from khub.components.errors import KhubError
from khub.server.jobs.asked_ingest import AskedIngest
from khub.server.jobs.asker import asker_fields
from khub.server.jobs.job_at_work import JobAtWork
from khub.server.jobs.job_record import JobRecord, job_rows, now
from khub.server.jobs.warm_processes import WarmProcesses

MOST_RUNNING = 4


class ChildJobs:
    """The jobs that this process has started, and the records of all.

    A job ends with the process that started it, however that ends.
    """

    def __init__(self) -> None:
        self._running: dict[str, JobAtWork] = {}
        self._processes = WarmProcesses()
        self._lock = threading.Lock()

    def start(self, paths: Sequence[str], collection: str, graph: str, meta: dict[str, Any] | None = None) -> JobRow:
        """Start an ingest, or take up again the interrupted job of the same arguments; return its record at once.

        :param paths: files and folders, absolute; their order does not matter.
        :param meta: metadata of all the files.
        :raises KhubError: if too many are running.
        """
        require_collection(collection)
        with self._lock:
            self._require_room()
            asked = AskedIngest(collection=collection, graph=graph, meta=meta or {})
            record = self._taken_up(paths, asked) or _new(uuid.uuid4().hex, paths, asked)
            self._running[record.job_id] = self._processes.run(record)
        return self.status(record.job_id)

    def start_sent(self, job_id: str, paths: Sequence[str], asked: AskedIngest) -> JobRow:
        """Start an ingest of files that were put aside for it; return its record at once.

        :param job_id: of the job, under which the files lie.
        :param paths: absolute: the places that they are to have.
        :raises KhubError: if too many are running.
        """
        require_collection(asked["collection"])
        with self._lock:
            self._require_room()
            self._running[job_id] = self._processes.run(_new(job_id, paths, asked))
        return self.status(job_id)

    def waited_for(self, job_id: str, patience_s: float) -> JobRow:
        """Wait for a job that this process has started, and return its record.

        :param patience_s: so long; it may not be over then.
        """
        with self._lock:
            job = self._running.get(job_id)
        if job is not None:
            job.wait(patience_s)
        return self.status(job_id)

    def status(self, job_id: str) -> JobRow:
        """Return the record of a job, also of one that another process started, as far as its files are opened.

        :raises KhubError: if there is no such job.
        """
        record = JobRecord(job_id)
        with self._lock:
            alive = job_id in self._alive()
        found = record.read()
        if found is not None and found["state"] not in ENDED and not alive:
            found = record.close_if_abandoned()
        if found is None or not caller().may_know(found.get("caller")):
            raise KhubError(
                f"there is no job {job_id!r}", "take the job_id that ingest has returned", code="job_unknown"
            )
        from khub.server.jobs.opened_job import as_far_as_opened

        return as_far_as_opened(found)

    def end(self) -> None:
        """End all jobs of this process, now: the client has gone, and what they have ingested stays."""
        self._processes.end()

    def _require_room(self) -> None:
        if sum(not _has_ended(job_id) for job_id in self._alive()) >= MOST_RUNNING:
            raise KhubError(
                f"as many jobs as may run are running ({MOST_RUNNING})", "wait until one has finished", code="too_busy"
            )

    def _alive(self) -> list[str]:
        """Return the ids of the jobs of this process that still run; what became of the others is written down."""
        for job_id in [key for key, job in self._running.items() if job.is_over()]:
            del self._running[job_id]
            JobRecord(job_id).close_if_abandoned(started_here=True)
        return list(self._running)

    def _taken_up(self, paths: Sequence[str], asked: AskedIngest) -> JobRecord | None:
        wanted = {**asked, "paths": sorted(paths)}
        for found in job_rows().listed(("queued", "running", "interrupted")):
            of_it = {**found, "meta": found.get("meta") or {}, "paths": sorted(found.get("paths") or ())}
            if (
                not wanted.items() <= of_it.items()
                or found.get("door")
                or found.get("of_service")
                or found.get("caller", "") != caller().name
                or found.get("groups") != asker_fields().get("groups")
            ):
                continue
            record = JobRecord(found["job_id"])
            if record.job_id not in self._running:
                record.close_if_abandoned()
            if record.take_up():
                return record
        return None


def _new(job_id: str, paths: Sequence[str], asked: AskedIngest) -> JobRecord:
    record = JobRecord(job_id)
    record.add(kind="ingest", state="queued", **asked, paths=list(paths), **asker_fields(), started_at=now())
    return record


def _has_ended(job_id: str) -> bool:
    """Say whether a job has done its work; its process may take a moment more."""
    found = JobRecord(job_id).read()
    return found is not None and found["state"] in ENDED
