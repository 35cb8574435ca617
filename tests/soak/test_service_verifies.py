"""Hostile verifies, 6 kB each, beside 20 readers: a reading token must not take the service from the others."""

import contextlib
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import httpx
import psutil
import pytest

from khub.server.library.ingest import ingest
from tests.soak.service import READ, Service, fill, note, serving, until

pytestmark = pytest.mark.soak
HOSTILE, READERS = 40, 20
NUMBERS = f"The numbers are {' '.join(str(100_000 + n) for n in range(850))}."
TEXTS = (NUMBERS, "1," * 3000 + " end.", "not " * 1500 + "end.")
LEAVING_S = 5
SLOWEST_S, SLOWEST_PROBE_S, IDLE_S, ENDING_S = 2, 1, 2, 8


def table(folder: Path) -> None:
    """Ingest a table of numbers, which each number of a claim may stand for."""
    rows = "\n".join(f"| Item {n} | {n * 3} | {n + 5} mm | not {n} |" for n in range(60))
    file = folder / "numbers.md"
    file.write_text(
        f"# Numbers\n\n| Item | Value | Length | Note |\n| --- | --- | --- | --- |\n{rows}\n", encoding="utf-8"
    )
    assert len(ingest([str(file)], graph_name="ingest_fast").written) == 1


@contextlib.contextmanager
def hostile(service: Service) -> Iterator[list[int]]:
    """Let so many clients verify one text after the other while the block runs; each leaves after some seconds.

    :yields: the statuses of the answers; 0 for a client that has left before.
    """
    statuses, stopped = list[int](), threading.Event()

    def verify(number: int) -> None:
        with service.client(READ) as client:
            while not stopped.is_set():
                try:
                    body = {"text": TEXTS[number % len(TEXTS)]}
                    statuses.append(client.post("/verify/run", json=body, timeout=LEAVING_S).status_code)
                except httpx.TransportError:
                    statuses.append(0)
                number += 1
                stopped.wait(0.5)

    threads = [threading.Thread(target=verify, args=(number,)) for number in range(HOSTILE)]
    for thread in threads:
        thread.start()
    try:
        yield statuses
    finally:
        stopped.set()
        for thread in threads:
            thread.join(60)


@dataclass(frozen=True)
class Took:
    """How long an answer took.

    :param seconds: by the clock, which on a machine that others use goes on while the service does not.
    :param worked: of processor time that the service has spent meanwhile, on this answer and on others: by this clock
        it has the machine to itself.
    """

    seconds: float
    worked: float


@contextlib.contextmanager
def timed(process: psutil.Process, taken: list[Took]) -> Iterator[None]:
    began, before = time.monotonic(), cpu(process)
    yield
    taken.append(Took(time.monotonic() - began, cpu(process) - before))


def slowest(taken: list[Took]) -> str:
    return f"{max(one.seconds for one in taken):.2f} s ({max(one.worked for one in taken):.2f} s of its processor time)"


@contextlib.contextmanager
def probed(service: Service, process: psutil.Process, path: str) -> Iterator[list[Took]]:
    """Ask for a path again and again while the block runs; yield how long that took."""
    taken, stopped = list[Took](), threading.Event()

    def probe() -> None:
        with service.client() as client:
            while not stopped.wait(0.1):
                with timed(process, taken):
                    assert client.get(path).status_code == 200

    thread = threading.Thread(target=probe)
    thread.start()
    try:
        yield taken
    finally:
        stopped.set()
        thread.join(60)


@pytest.mark.timeout(900)
def test_readers_are_answered_beside_hostile_verifies(tmp_path: Path) -> None:
    question = fill(tmp_path)
    table(tmp_path)
    with serving(tmp_path) as service:
        process = psutil.Process(service.process.pid)
        read(service, question, process, each=1)  # the first questions load what answers
        quiet = read(service, question, process, each=2)
        with hostile(service) as statuses:
            until(lambda: len(statuses) >= 3)
            before = cpu(process)
            with probed(service, process, "/healthz") as healthz, probed(service, process, "/metrics") as metrics:
                taken = read(service, question, process, each=3)
            spent = cpu(process) - before
        time.sleep(IDLE_S)
        before, began = cpu(process), time.monotonic()
        time.sleep(1)
        busy = (cpu(process) - before) / (time.monotonic() - began)
    assert set(statuses) <= {200, 429, 503, 0}
    refused = statuses.count(429) + statuses.count(503)
    verifies = f"{statuses.count(200)} verifies answered, {refused} told to come again, {statuses.count(0)} left"
    figures = f"slowest of {READERS} readers {slowest(taken)}, without them {slowest(quiet)}"
    probes = f"/healthz {slowest(healthz)}, /metrics {slowest(metrics)}"
    after = f"{spent:.0f} s of processor in all; {IDLE_S} s after the last has left {busy:.0%} of a core"
    bar = f"{SLOWEST_S} s; {SLOWEST_PROBE_S} s; idle"
    note(f"{HOSTILE} clients verify 6 kB, again and again", f"{figures}; {verifies}; {probes}; {after}", bar)
    assert max(one.worked for one in taken) <= SLOWEST_S
    assert max(one.worked for one in (*healthz, *metrics)) <= SLOWEST_PROBE_S
    assert busy < 0.2


def read(service: Service, question: Callable[[], str], process: psutil.Process, each: int) -> list[Took]:
    """Let each of the readers ask some questions, one after the other; return how long the answers took."""
    taken, questions = list[Took](), [question() for _ in range(READERS * each)]

    def ask(number: int) -> None:
        with service.client() as client:
            for query in questions[number::READERS]:
                with timed(process, taken):
                    assert client.post("/query/run", json={"query": query}).status_code == 200

    with ThreadPoolExecutor(READERS) as readers:
        for done in [readers.submit(ask, number) for number in range(READERS)]:
            done.result()
    return taken


def cpu(process: psutil.Process) -> float:
    times = process.cpu_times()
    return float(times.user + times.system)


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGTERM")
def test_the_service_ends_while_verifies_run(tmp_path: Path) -> None:
    fill(tmp_path)
    table(tmp_path)
    with serving(tmp_path) as service, hostile(service) as statuses:
        until(lambda: len(statuses) >= 3)
        began = time.monotonic()
        service.process.send_signal(signal.SIGTERM)
        service.process.wait(60)
        seconds = time.monotonic() - began
    assert service.process.returncode in (0, -signal.SIGTERM)
    note(f"SIGTERM while {HOSTILE} clients verify", f"ended after {seconds:.1f} s", f"{ENDING_S} s")
    assert seconds < ENDING_S
