"""A process that does jobs, one after the other, as the one that gives them sees it."""

import contextlib
import json
import os
import subprocess
import threading
from collections.abc import Callable
from dataclasses import dataclass

from khub.components.private_files import owners_alone
from khub.server.jobs.job_record import JobRecord
from khub.server.own_module import command_of


@dataclass(frozen=True)
class AfterJob:
    """What a process says of itself when a job is over.

    :param mb: its resident memory.
    :param spent: that something of the job may still go on in it.
    """

    mb: float
    spent: bool


class WarmProcess:
    """Runs `job_process`: takes ids of jobs, and tells when one is over. It ends when its standard input does.

    :param first: the job that it is started for, in whose log stands why it could not begin.
    :param on_told: called on a thread of this object when a job is over, and with None when the process has gone.
    """

    def __init__(self, first: JobRecord, on_told: "Callable[[WarmProcess, AfterJob | None], None]") -> None:
        self.jobs = 0
        self._on_told = on_told
        self._lock = threading.Lock()
        with open(first.log, "ab", opener=owners_alone) as log:
            self._process = subprocess.Popen(
                command_of("khub.server.jobs.job_process"),
                stdin=subprocess.PIPE,  # its end tells the child that this process is gone
                stdout=subprocess.PIPE,
                stderr=log,
                start_new_session=os.name != "nt",
            )
        threading.Thread(target=self._listen, name="job process", daemon=True).start()

    @property
    def pid(self) -> int:
        """Id of the process."""
        return self._process.pid

    def give(self, job_id: str) -> bool:
        """Give it a job, while it has none; return whether it could be given: the process may have gone."""
        self.jobs += 1
        with self._lock, contextlib.suppress(OSError, ValueError):
            if self._process.stdin is not None:
                self._process.stdin.write(f"{job_id}\n".encode())
                self._process.stdin.flush()
                return True
        return False

    def end(self) -> None:
        """End it, and those that it has started, whatever it is doing."""
        with self._lock, contextlib.suppress(OSError):  # of one that has gone
            if self._process.stdin is not None:
                self._process.stdin.close()

    def wait(self) -> None:
        """Wait until it has ended."""
        self._process.wait()

    def _listen(self) -> None:
        if self._process.stdout is not None:
            with self._process.stdout as told:
                for line in told:
                    self._on_told(self, AfterJob(**json.loads(line)))
        self._process.wait()
        self.end()
        self._on_told(self, None)
