"""Ingests that run in processes of their own while the server goes on answering."""

import os
import subprocess
import threading
import uuid
from collections.abc import Sequence
from typing import Any

from components.errors import KhubError
from components.private_files import owners_alone
from server.mcp.job_record import ENDED, JobRecord, all_records, now
from server.own_module import command_of

MOST_RUNNING = 4


class Jobs:
    """The jobs that this process has started, and the records of all.

    A job ends with the process that started it, however that ends.
    """

    def __init__(self) -> None:
        self._running: dict[str, subprocess.Popen[bytes]] = {}
        self._lock = threading.Lock()

    def start(self, paths: Sequence[str], collection: str, graph: str) -> dict[str, Any]:
        """Start an ingest, or take up again the interrupted job of the same arguments; return its record at once.

        :param paths: files and folders, absolute; their order does not matter.
        :raises KhubError: if too many are running.
        """
        with self._lock:
            if sum(not _has_ended(job_id) for job_id in self._alive()) >= MOST_RUNNING:
                raise KhubError(f"as many jobs as may run are running ({MOST_RUNNING})", "wait until one has finished")
            record = self._taken_up(paths, collection, graph) or _new(paths, collection, graph)
            self._running[record.job_id] = _start(record)
        return self.status(record.job_id)

    def status(self, job_id: str) -> dict[str, Any]:
        """Return the record of a job, also of one that another process started.

        :raises KhubError: if there is no such job.
        """
        record = JobRecord(job_id)
        with self._lock:
            alive = job_id in self._alive()
        found = record.read()
        if found is not None and found["state"] not in ENDED and not alive:
            found = record.close_if_abandoned()
        if found is None:
            raise KhubError(f"there is no job {job_id!r}", "take the job_id that ingest has returned")
        return found

    def end(self) -> None:
        """End all jobs of this process, now: the client has gone, and what they have ingested stays."""
        for process in list(self._running.values()):
            _close(process)

    def _alive(self) -> list[str]:
        """Return the ids of the jobs of this process that still run; the others are reaped."""
        for job_id in [key for key, process in self._running.items() if process.poll() is not None]:
            _close(self._running.pop(job_id))
            JobRecord(job_id).close_if_abandoned(started_here=True)
        return list(self._running)

    def _taken_up(self, paths: Sequence[str], collection: str, graph: str) -> JobRecord | None:
        wanted = (collection, graph, sorted(paths))
        for record in all_records():
            found = record.read()
            if found is None or (found["collection"], found["graph"], sorted(found["paths"])) != wanted:
                continue
            if record.job_id not in self._running:
                record.close_if_abandoned()
            if record.take_up():
                return record
        return None


def _new(paths: Sequence[str], collection: str, graph: str) -> JobRecord:
    record = JobRecord(uuid.uuid4().hex)
    about = {"job_id": record.job_id, "state": "queued", "collection": collection, "graph": graph}
    record.write({**about, "paths": list(paths), "started_at": now()})
    return record


def _close(process: "subprocess.Popen[bytes]") -> None:
    if process.stdin is not None:
        process.stdin.close()


def _has_ended(job_id: str) -> bool:
    """Say whether a job has done its work; its process may take a moment more."""
    return (JobRecord(job_id).read() or {}).get("state") in ENDED


def _start(record: JobRecord) -> "subprocess.Popen[bytes]":
    with open(record.log, "ab", opener=owners_alone) as log:
        return subprocess.Popen(
            command_of("server.mcp.job_process", record.job_id),
            stdin=subprocess.PIPE,  # its end tells the child that this process is gone
            stdout=log,
            stderr=log,
            start_new_session=os.name != "nt",
        )
