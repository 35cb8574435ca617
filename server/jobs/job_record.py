"""What is known of a job that runs in another process: a row of the catalog, a lock and a log."""

import contextlib
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any

from khub.components.catalog.job_row import JobRow
from khub.components.catalog.jobs import ENDED, Jobs
from khub.components.errors import KhubError
from khub.components.home import hub_home
from khub.components.private_files import owners_alone, private_folder

LOCK_WAIT_S = 10.0
HOW_TO_GO_ON = "call ingest again with the same paths, collection and graph: files that were finished are skipped"
STARTING_S = 30.0
"""How long after a job was asked for its process may not have come to take the lock."""


class JobRecord:
    """A job: its row, and `{home}/jobs/{job_id}.log` and `.lock`.

    :param job_id: 32 hexadecimal characters.
    """

    def __init__(self, job_id: str) -> None:
        self.job_id = job_id
        self.folder = hub_home() / "jobs"
        self.log = self.folder / f"{job_id}.log"
        self._lock = self.folder / f"{job_id}.lock"

    def read(self) -> JobRow | None:
        """Return what is known; None if there is no such job."""
        return job_rows().get(self.job_id)

    def add(self, idempotency: str | None = None, **fields: Any) -> None:
        """Add the job.

        :param idempotency: who starts it, and the key that came with it.
        """
        private_folder(self.folder)
        job_rows().add({"job_id": self.job_id, **fields}, idempotency)

    def update(self, **fields: Any) -> bool:
        """Change fields, unless somebody has cancelled the job; return whether that was done."""
        return job_rows().update(self.job_id, fields, unless=("cancelled",))

    @contextmanager
    def held(self, wait_s: float = LOCK_WAIT_S) -> Iterator[None]:
        """Hold the job's lock, as its process does as long as it lives.

        :param wait_s: how long to wait for it: whoever asks for the job's state holds it for a moment.
        :raises portalocker.exceptions.LockException: if another process holds it.
        """
        import portalocker  # it is slow to import

        private_folder(self.folder)
        flags = portalocker.LockFlags.EXCLUSIVE | portalocker.LockFlags.NON_BLOCKING
        opening: Any = {"encoding": "utf-8", "opener": owners_alone}
        with portalocker.Lock(self._lock, "a+", timeout=wait_s, check_interval=0.01, flags=flags, **opening):
            yield

    def is_held(self) -> bool:
        """Say whether a process holds the job's lock."""
        import portalocker

        if not self._lock.exists():
            return False
        try:
            with self.held(wait_s=0):
                return False
        except portalocker.exceptions.LockException:
            return True

    def drop_lock(self) -> None:
        """Delete the lock of a job that nobody will take up."""
        with contextlib.suppress(OSError):
            self._lock.unlink(missing_ok=True)

    def close_if_abandoned(self, started_here: bool = False) -> JobRow | None:
        """Write down that the job was interrupted, if its process has gone without a word; return what is known.

        It is written with the lock held, so that nothing is lost of what the process writes. A job of a service is
        left to that: it goes on with it when it starts again.

        :param started_here: whether the caller knows that the process has ended; another one's may still be starting.
        """
        import portalocker

        try:
            with self.held(wait_s=0):
                found = self.read()
                if found and found["state"] not in ENDED and (started_here or _is_abandoned(found)):
                    found = {**found, "state": "interrupted", "remedy": HOW_TO_GO_ON}
                    with contextlib.suppress(OSError, KhubError):  # on a full disk the next who asks finds it anew
                        self.update(state="interrupted", remedy=HOW_TO_GO_ON)
                return found
        except portalocker.exceptions.LockException:
            return self.read()  # its process lives

    def take_up(self) -> bool:
        """Make an interrupted job one that waits for its process again.

        :returns: False if it is not interrupted, or another server has just taken it up.
        """
        import portalocker

        try:
            with self.held(wait_s=0):
                found = self.read()
                if not found or found["state"] != "interrupted":
                    return False
                fields = {"state": "queued", "started_at": now(), "resumed": found.get("resumed", 0) + 1}
                return job_rows().update(self.job_id, fields, without=("remedy", "progress", "dropped"))
        except portalocker.exceptions.LockException:
            return False


def job_rows() -> Jobs:
    """Return the catalog's table of jobs; opened late, since a server begins to answer before all that is imported."""
    from khub.components.catalog.catalog import open_catalog

    return open_catalog().jobs


def _is_abandoned(record: JobRow) -> bool:
    if record.get("of_service"):
        return False
    waited = datetime.now(UTC) - datetime.fromisoformat(record["started_at"])
    return record["state"] != "queued" or waited.total_seconds() >= STARTING_S


def now() -> str:
    """Return the present time as ISO 8601 in UTC."""
    return datetime.now(UTC).isoformat(timespec="seconds")
