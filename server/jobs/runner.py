"""Runs the jobs of a service, one at a time for each collection, and those that an earlier service left."""

import contextlib
import logging
import threading
import time
import uuid
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta

import portalocker

from khub.components.catalog.catalog import open_catalog
from khub.components.catalog.database import LockHeldError
from khub.components.catalog.job_row import JobRow
from khub.components.errors import KhubError
from khub.components.home import hub_home
from khub.components.private_files import owners_alone, private_folder
from khub.server.jobs.job_at_work import JobAtWork
from khub.server.jobs.job_record import JobRecord, job_rows
from khub.server.jobs.next_job import next_job
from khub.server.jobs.put_off import is_put_off
from khub.server.jobs.source_schedule import keep_schedule
from khub.server.jobs.warm_processes import WarmProcesses
from khub.server.jobs.watched_folder import WatchedFolder
from khub.server.library.uploads import forget_interrupted, forget_waiting

AT_ONCE = 4
LOOK_S = 0.3
ABANDONED_S = 5.0
AWAY_S = 5.0
"""After so long is looked again for a database that was away."""
OVER = ("finished", "failed", "cancelled")
MOST_TRIES = 3
"""A job has failed whose process has gone so often without a word, and came no further from one time to the next."""
KEPT_DAYS = 30
logger = logging.getLogger(__name__)


class Runner:
    """Looks for jobs that wait, gives them to processes, and ends those of jobs that were cancelled.

    Of several processes over one hub one runs the jobs: the one that holds `{home}/jobs/runner.lock`. Where several
    machines have one catalog, each has a runner, which takes jobs by its name, and holds a lock of that name: the jobs
    of one that is gone wait again.

    :param watched: a folder that is watched while jobs are run.
    :param at_once: jobs at a time, of as many collections.
    :param collections: only jobs of these; of all if empty.
    """

    def __init__(
        self, watched: WatchedFolder | None = None, at_once: int = AT_ONCE, collections: Sequence[str] = ()
    ) -> None:
        self._watched = watched
        self._at_once = at_once
        self._collections = collections
        self._name = uuid.uuid4().hex
        self._running: dict[str, tuple[str, JobAtWork]] = {}
        self._stop = threading.Event()
        self._look_now = threading.Event()
        self._processes = WarmProcesses(on_over=self._look_now.set)
        self._looked_for_abandoned = 0.0

    @contextlib.contextmanager
    def running(self) -> Iterator[None]:
        """Run jobs while the block runs; at its end their processes end, and the jobs go on at the next start."""
        thread = threading.Thread(target=self._work, name="jobs", daemon=True)
        thread.start()
        try:
            yield
        finally:
            self._stop.set()
            self._look_now.set()
            thread.join(10)

    def _work(self) -> None:
        while not self._stop.is_set():
            self._name = uuid.uuid4().hex  # what was taken by the one before, whose lock broke, is anybody's
            try:
                with _only_one(), open_catalog().database.lock(_lock_of(self._name)):
                    self._serve()
            except portalocker.exceptions.LockException:  # another process does it
                self._stop.wait(5 * LOOK_S)
            except (OSError, KhubError) as error:
                logger.error("jobs cannot be run: %s", error)
                self._stop.wait(AWAY_S)

    def _serve(self) -> None:
        forget_interrupted()
        forget_waiting(_is_over)
        open_catalog().jobs.forget((datetime.now(UTC) - timedelta(days=KEPT_DAYS)).isoformat())
        self._put_back_abandoned("running", "interrupted")
        over = threading.Event()
        if self._watched is not None:
            threading.Thread(target=self._watched.watch, args=(over,), name="watch", daemon=True).start()
        threading.Thread(target=keep_schedule, args=(over,), name="schedule", daemon=True).start()
        try:
            while not self._stop.is_set():
                self._look_now.clear()
                self._look()
                self._look_now.wait(LOOK_S)
        finally:
            over.set()
            for job_id, (_, job) in self._running.items():
                job.end()
                with contextlib.suppress(OSError, KhubError):  # else whoever runs jobs next does it
                    left = open_catalog().jobs.get(job_id)
                    if left is not None and left["state"] == "running":
                        _put_back(left)
            self._running.clear()
            self._processes.end()

    def _put_back_abandoned(self, *states: str) -> None:
        """Let jobs wait again whose runner is gone; on a single machine there is no other one."""
        for found in _of_service(*states):
            if found["job_id"] not in self._running and _is_gone(found.get("taken_by")):
                _put_back(found)
        self._looked_for_abandoned = time.monotonic()

    def _look(self) -> None:
        jobs = open_catalog().jobs
        if open_catalog().database.shared and time.monotonic() - self._looked_for_abandoned > ABANDONED_S:
            with open_catalog().database.transaction():
                pass  # it does not begin where the lock of this runner is lost: others may have its jobs by then
            self._put_back_abandoned("queued", "running", "interrupted")
        for job_id, (_, job) in list(self._running.items()):
            found = jobs.get(job_id)
            if found is None or found["state"] == "cancelled":
                job.end()
            if job.is_over():
                del self._running[job_id]
                if found is not None and found["state"] in ("queued", "running"):
                    self._again(jobs.get(job_id) or found)
        if len(self._running) < self._at_once:
            self._start_next()

    def _start_next(self) -> None:
        busy = [collection for collection, _ in self._running.values()]
        found = next_job(busy, self._collections)
        if found and self._is_taken(found["job_id"]):
            self._running[found["job_id"]] = found["collection"], self._processes.run(JobRecord(found["job_id"]))

    def _is_taken(self, job_id: str) -> bool:
        """Say whether this runner has the job; on a single machine nobody else could take it."""
        catalog = open_catalog()
        return not catalog.database.shared or catalog.jobs.take(job_id, self._name)

    def _again(self, found: JobRow) -> None:
        """Let a job wait again whose process has gone while its service lives; not for ever."""
        if found["state"] in OVER or is_put_off(found):
            return
        record, before = JobRecord(found["job_id"]), found.get("got_to", 0)
        done = (found.get("progress") or {}).get("done", 0)
        tries = 1 if done > before else found.get("tries", 0) + 1
        if tries >= MOST_TRIES:
            why = f"its process has ended {tries} times without a word"
            record.update(state="failed", error=why, remedy="look at the log of the hub, and ingest in smaller parts")
        else:
            resumed = found.get("resumed", 0) + 1
            _wait_again(record, resumed=resumed, tries=tries, got_to=max(done, before))


def _put_back(found: JobRow) -> None:
    """Let a job wait again whose process has ended with its service, however that ended: the job is not to blame."""
    if found["state"] != "queued" or found.get("taken_by"):
        _wait_again(JobRecord(found["job_id"]), resumed=found.get("resumed", 0) + 1)


def _wait_again(record: JobRecord, **fields: int) -> None:
    job_rows().update(record.job_id, {"state": "queued", **fields}, without=("taken_by",), unless=OVER)


def _is_gone(runner: str | None) -> bool:
    if runner is None:
        return True
    try:
        with open_catalog().database.lock(_lock_of(runner), wait=False):
            return True
    except LockHeldError:
        return False


def _lock_of(runner: str) -> str:
    return f"runner:{runner}"


def _is_over(job_id: str) -> bool:
    found = open_catalog().jobs.get(job_id)
    return found is None or found["state"] in OVER


def _of_service(*states: str) -> list[JobRow]:
    jobs, found, after = open_catalog().jobs, list[JobRow](), None
    while rows := jobs.listed(states, after):
        found += [row for row in rows if row.get("of_service")]
        after = rows[-1]["created_at"], rows[-1]["job_id"]
    return found


def is_run_here() -> bool:
    """Say whether a process of this machine runs the jobs of the hub."""
    try:
        with _only_one():
            return False
    except portalocker.exceptions.LockException:
        return True


def _only_one() -> portalocker.Lock:
    private_folder(hub_home() / "jobs")
    flags = portalocker.LockFlags.EXCLUSIVE | portalocker.LockFlags.NON_BLOCKING
    return portalocker.Lock(hub_home() / "jobs" / "runner.lock", "a", timeout=0, flags=flags, opener=owners_alone)
