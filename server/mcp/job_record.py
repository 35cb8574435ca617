"""What is known of an ingest that runs in another process: a file of its own in the hub."""

import contextlib
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from components.home import hub_home
from components.private_files import owners_alone, private_folder

ENDED = ("finished", "failed", "interrupted")
LOCK_WAIT_S = 10.0
HOW_TO_GO_ON = "call ingest again with the same paths, collection and graph: files that were finished are skipped"
STARTING_S = 30.0
"""How long after a job was asked for its process may not have come to take the lock."""


class JobRecord:
    """The record of a job, `{home}/jobs/{job_id}.json`, its log and its lock beside it.

    :param job_id: 32 hexadecimal characters.
    """

    def __init__(self, job_id: str) -> None:
        self.job_id = job_id
        self.folder = hub_home() / "jobs"
        self.path = self.folder / f"{job_id}.json"
        self.log = self.folder / f"{job_id}.log"
        self._lock = self.folder / f"{job_id}.lock"

    def read(self) -> dict[str, Any] | None:
        """Return the record; None if there is none."""
        try:
            return json.loads(self.path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return None

    def write(self, record: dict[str, Any]) -> None:
        """Write the record as a whole, so that nobody reads half of it."""
        private_folder(self.folder)
        text = json.dumps({**record, "updated_at": now()}, ensure_ascii=False)
        unfinished = self.path.with_name(f"{self.path.name}.{os.getpid()}")
        with open(unfinished, "w", encoding="utf-8", opener=owners_alone) as file:
            file.write(text)
        unfinished.replace(self.path)

    def update(self, **fields: Any) -> None:
        """Change fields of the record."""
        self.write({**(self.read() or {}), **fields})

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

    def close_if_abandoned(self, started_here: bool = False) -> dict[str, Any] | None:
        """Write down that the job was interrupted, if its process has gone without a word; return the record.

        It is written with the lock held, so that nothing is lost of what the process writes.

        :param started_here: whether the caller knows that the process has ended; another one's may still be starting.
        """
        import portalocker

        try:
            with self.held(wait_s=0):
                found = self.read()
                if found and found["state"] not in ENDED and (started_here or not _is_starting(found)):
                    found = {**found, "state": "interrupted", "remedy": HOW_TO_GO_ON}
                    with contextlib.suppress(OSError):  # on a full disk the next who asks finds it anew
                        self.write(found)
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
                kept = {key: value for key, value in found.items() if key not in ("remedy", "progress")}
                resumed = found.get("resumed", 0) + 1
                self.write({**kept, "state": "queued", "started_at": now(), "resumed": resumed})
                return True
        except portalocker.exceptions.LockException:
            return False


def all_records() -> list[JobRecord]:
    """Return the records of all jobs of the hub, the newest first."""
    files = (hub_home() / "jobs").glob("*.json")
    return [JobRecord(file.stem) for file in sorted(files, key=_modified, reverse=True)]


def _modified(file: Path) -> float:
    try:
        return file.stat().st_mtime
    except OSError:  # it has just been replaced
        return 0.0


def _is_starting(record: dict[str, Any]) -> bool:
    waited = datetime.now(UTC) - datetime.fromisoformat(record["started_at"])
    return record["state"] == "queued" and waited.total_seconds() < STARTING_S


def now() -> str:
    """Return the present time as ISO 8601 in UTC."""
    return datetime.now(UTC).isoformat(timespec="seconds")
