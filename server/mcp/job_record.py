"""What is known of an ingest that runs in another process: a file of its own in the hub."""

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any

from components.home import hub_home

ENDED = ("finished", "failed", "interrupted")


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
        self.folder.mkdir(parents=True, exist_ok=True)
        text = json.dumps({**record, "updated_at": now()}, ensure_ascii=False)
        unfinished = self.path.with_name(f"{self.path.name}.{os.getpid()}")
        unfinished.write_text(text, encoding="utf-8")
        unfinished.replace(self.path)

    def update(self, **fields: Any) -> None:
        """Change fields of the record."""
        self.write({**(self.read() or {}), **fields})

    @contextmanager
    def held(self) -> Iterator[None]:
        """Hold the job's lock, as its process does as long as it lives.

        :raises portalocker.exceptions.LockException: if another process holds it.
        """
        import portalocker  # it is slow to import

        self.folder.mkdir(parents=True, exist_ok=True)
        with self._lock.open("a+", encoding="utf-8") as file:
            portalocker.lock(file, portalocker.LockFlags.EXCLUSIVE | portalocker.LockFlags.NON_BLOCKING)
            yield

    def is_held(self) -> bool:
        """Say whether the job's process lives."""
        import portalocker

        try:
            with self.held():
                return False
        except portalocker.exceptions.LockException:
            return True


def now() -> str:
    """Return the present time as ISO 8601 in UTC."""
    return datetime.now(UTC).isoformat(timespec="seconds")
