"""A hub that `khub serve` serves for a measurement, on a free port of 127.0.0.1, and what its processes take."""

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
import uuid
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import psutil

from khub.components.catalog.catalog import Catalog
from khub.components.catalog.jobs import ENDED

REPOSITORY = Path(__file__).parents[2]
TOKEN = "writing"
QUIET_S, STEADY_S, PATIENCE_S = 1.0, 0.02, 300


class ServedHub:
    """A service that is ready, over a hub of its own.

    :param process: of the service.
    :param home: its hub.
    """

    def __init__(self, process: "subprocess.Popen[bytes]", home: Path, port: int) -> None:
        self.process = psutil.Process(process.pid)
        self.catalog = Catalog(home)
        self.address = f"http://127.0.0.1:{port}"
        self._sent = 0

    def upload(self, texts: Sequence[bytes]) -> None:
        """Send files in one request, and wait until their job has ended."""
        files = {f"{self._sent + number}.md": text for number, text in enumerate(texts)}
        self._sent += len(texts)
        job_id = self.send(files)
        until(lambda: (self.catalog.jobs.get(job_id) or {"state": ""})["state"] in ENDED)
        job: Any = self.catalog.jobs.get(job_id)
        if job["state"] != "finished" or job["result"]["written"] != len(texts):
            raise SystemExit(f"the job has not written {len(texts)} documents: {job}")

    def send(self, files: dict[str, bytes]) -> str:
        """Send files, by name, in one request; return the id of their job."""
        return str(json.loads(_post(f"{self.address}/documents", files))["job_id"])

    def cpu_of(self, act: Callable[[], object]) -> float:
        """Return the processor seconds that something takes, until all processes are quiet again."""
        before = self._quiet_s()
        act()
        return self._quiet_s() - before

    def cpu_s(self) -> float:
        """Return the processor seconds of all processes until now."""
        return sum(_times_of(one) for one in (self.process, *self.process.children(recursive=True)))

    def resident_mb(self) -> list[int]:
        """Return the resident memory of each process in megabytes, the service first."""
        processes = (self.process, *self.process.children(recursive=True))
        return [round(one.memory_info().rss / 1e6) for one in processes]

    def is_ready(self) -> bool:
        """Say whether it answers."""
        try:
            with urllib.request.urlopen(f"{self.address}/readyz", timeout=10) as reply:
                return bool(reply.status == 200)
        except (urllib.error.URLError, OSError):
            return False

    def _quiet_s(self) -> float:
        """Return the processor seconds until now, once hardly any were taken for a while."""
        spent = self.cpu_s()
        for _ in range(PATIENCE_S):
            time.sleep(QUIET_S)
            before, spent = spent, self.cpu_s()
            if spent - before <= STEADY_S * 2:
                return before
        raise SystemExit("the service does not come to rest")


@contextlib.contextmanager
def serving(work: Path | None) -> Iterator[ServedHub]:
    """Run a service over a hub that goes with it."""
    with tempfile.TemporaryDirectory(dir=work, ignore_cleanup_errors=True) as folder:
        home, port = Path(folder) / "home", _free_port()
        command = [sys.executable, "-m", "khub.server.cli", "serve", "--port", str(port)]
        own = {"KHUB_HOME": str(home), "KHUB_WRITE_TOKEN": TOKEN}
        process = subprocess.Popen(
            command, cwd=folder, env=environment(own), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        try:
            service = ServedHub(process, home, port)
            until(service.is_ready, 0.5)
            yield service
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(PATIENCE_S)


def environment(own: dict[str, str]) -> dict[str, str]:
    """Return the environment of a process of the hub: this one's, without its settings of the hub."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("KHUB_")}
    return {**kept, "PYTHONPATH": str(REPOSITORY), **own}


def _times_of(process: psutil.Process) -> float:
    try:
        times = process.cpu_times()
    except psutil.NoSuchProcess:  # it has just ended: its time is with the one that waited for it
        return 0.0
    return float(times.user + times.system + times.children_user + times.children_system)


def _post(address: str, files: dict[str, bytes]) -> bytes:
    boundary = uuid.uuid4().hex
    parts = [
        f'--{boundary}\r\nContent-Disposition: form-data; name="files"; filename="{name}"\r\n\r\n'.encode() + data
        for name, data in files.items()
    ]
    body = b"\r\n".join([*parts, f"--{boundary}--\r\n".encode()])
    headers = {"Content-Type": f"multipart/form-data; boundary={boundary}", "Authorization": f"Bearer {TOKEN}"}
    with urllib.request.urlopen(urllib.request.Request(address, body, headers), timeout=60) as reply:
        return bytes(reply.read())


def until(true: Callable[[], bool], look_s: float = 0.02) -> None:
    """Wait until something is true."""
    end = time.monotonic() + PATIENCE_S
    while not true():
        if time.monotonic() > end:
            raise SystemExit("it did not come")
        time.sleep(look_s)


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as free:
        return int(free.getsockname()[1])
