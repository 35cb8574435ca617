"""The jobs that a process is given, and when it is to end."""

import queue
import threading
from collections.abc import Callable
from typing import BinaryIO

LEAVING_S = 5.0
"""So long a process that has no job may take to close what it holds, and to send what it has to tell of."""


class GivenJobs:
    """Ids of jobs, as they come, a line each, until their stream ends: then the process ends.

    :param stream: where they come from.
    :param end_now: ends the process, whatever it is doing.
    """

    def __init__(self, stream: BinaryIO, end_now: Callable[[], None]) -> None:
        self._stream = stream
        self._end_now = end_now
        self._jobs: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self._given = self._done = 0
        threading.Thread(target=self._take, name="jobs", daemon=True).start()

    def next(self) -> str | None:
        """Wait for a job, and return it; None where the process is to end by itself."""
        return self._jobs.get()

    def done(self) -> None:
        """Note that a job is over."""
        self._done += 1

    def _take(self) -> None:
        for line in self._stream:
            self._given += 1
            self._jobs.put(line.decode().strip())
        if self._given == self._done:
            self._jobs.put(None)
            threading.Event().wait(LEAVING_S)
        self._end_now()
