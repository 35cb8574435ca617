"""Processes that are lent to jobs, and stay for the next ones: what a job loads is loaded then."""

import threading
from collections.abc import Callable
from dataclasses import dataclass, field

from khub.components.trust import trust_file
from khub.server.jobs.job_at_work import JobAtWork
from khub.server.jobs.job_record import JobRecord
from khub.server.jobs.warm_process import AfterJob, WarmProcess

MOST_JOBS = 200
MOST_MB = 1500
"""After scans a process of the default graph holds some 1,100; what it has started is not counted."""
IDLE_S = 300.0


@dataclass
class _Lent:
    """What a process is lent to, or since when it waits.

    :param trusted: state of the file of what the user trusts: what is cached in the process was checked by that.
    """

    trusted: tuple[int, int] | None
    job: JobAtWork | None = None
    leaves: threading.Timer | None = field(default=None, repr=False)


class WarmProcesses:
    """Lends a process to each job: one that waits, or a new one. Safe to use from several threads.

    Which process ends is decided here alone, so that no job is given to one that is about to: one that has done many
    jobs, that holds much memory, or in which something of a job may go on; one from before the user changed what is
    trusted; and one that nobody has needed for a while.

    :param most_jobs: so many jobs a process does.
    :param most_mb: resident memory from which on it gets no further one.
    :param idle_s: so long it waits for the next one.
    :param on_over: called when a job is over.
    """

    def __init__(
        self,
        most_jobs: int = MOST_JOBS,
        most_mb: float = MOST_MB,
        idle_s: float = IDLE_S,
        on_over: Callable[[], object] = lambda: None,
    ) -> None:
        self._most_jobs = most_jobs
        self._most_mb = most_mb
        self._idle_s = idle_s
        self._on_over = on_over
        self._lock = threading.RLock()
        self._all: dict[WarmProcess, _Lent] = {}
        self._waiting: list[WarmProcess] = []

    @property
    def pids(self) -> list[int]:
        """Ids of the processes that live."""
        with self._lock:
            return [process.pid for process in self._all]

    def run(self, record: JobRecord) -> JobAtWork:
        """Let a process do a job.

        :raises OSError: if none waits, and none can be started.
        """
        with self._lock:
            while self._waiting:
                process = self._waiting.pop()  # the others come to their end
                if self._is_fresh(process) and (job := self._given(process, record)):
                    return job
                process.end()
            process = WarmProcess(record, self._told)
            self._all[process] = _Lent(_trusted())
            return self._given(process, record) or _over()

    def end(self) -> None:
        """End all processes now, whatever they do."""
        with self._lock:
            self._waiting.clear()
            for process in self._all:
                process.end()

    def _is_fresh(self, process: WarmProcess) -> bool:
        lent = self._all[process]
        if lent.leaves is not None:
            lent.leaves.cancel()
        return lent.trusted == _trusted()

    def _given(self, process: WarmProcess, record: JobRecord) -> JobAtWork | None:
        job = self._all[process].job = JobAtWork(self._end)
        if process.give(record.job_id):
            return job
        self._all[process].job = None
        return None

    def _end(self, job: JobAtWork) -> None:
        with self._lock:
            process = next((one for one, lent in self._all.items() if lent.job is job), None)
            if process is not None:
                process.end()
        if process is not None:
            process.wait()
            job.wait()

    def _told(self, process: WarmProcess, after: AfterJob | None) -> None:
        with self._lock:
            lent = self._all.get(process)
            job = lent.job if lent is not None else None
            if after is None:
                self._all.pop(process, None)
                self._waiting = [one for one in self._waiting if one is not process]
            elif lent is not None:
                lent.job = None
                self._keep_or_end(process, lent, after)
        if job is not None:
            job.set_over()
            self._on_over()

    def _keep_or_end(self, process: WarmProcess, lent: _Lent, after: AfterJob) -> None:
        if after.spent or after.mb > self._most_mb or process.jobs >= self._most_jobs:
            process.end()
            return
        self._waiting.append(process)
        lent.leaves = threading.Timer(self._idle_s, self._leave, (process, process.jobs))
        lent.leaves.daemon = True
        lent.leaves.start()

    def _leave(self, process: WarmProcess, jobs: int) -> None:
        """End a process that has waited in vain since it had done so many jobs."""
        with self._lock:
            if process in self._waiting and process.jobs == jobs:
                self._waiting.remove(process)
                process.end()


def _over() -> JobAtWork:
    """Return a job whose process has gone before it could be told of it."""
    job = JobAtWork(lambda _: None)
    job.set_over()
    return job


def _trusted() -> tuple[int, int] | None:
    try:
        about = trust_file().stat()
    except OSError:
        return None
    return about.st_mtime_ns, about.st_size
