"""Clients of a hub on several machines: some write, some ask, and all judge what they are told."""

import itertools
import random
import re
import threading
import time
import uuid
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import httpx

from khub.components.catalog.documents import doc_id_of
from tests.soak.torture.team_fates import GONE, Fates
from tests.soak.torture.team_machines import NAMES, Machines

RETRIED_AFTER_S = 0.2
JOB_WITHIN_S = 120.0
COLLECTION = "default"
OVER = ("finished", "failed", "cancelled")


@dataclass
class Seen:
    """What all clients have met."""

    queries: int = 0
    uploads: int = 0
    deletes: int = 0
    behind: int = 0
    away: int = 0
    refused: int = 0
    wrong: list[str] = field(default_factory=list)
    took_s: list[float] = field(default_factory=list)
    job_s: list[float] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def add(self, **counts: int) -> None:
        with self._lock:
            for name, count in counts.items():
                setattr(self, name, getattr(self, name) + count)

    def say(self, wrong: str) -> None:
        with self._lock:
            self.wrong.append(f"{time.strftime('%H:%M:%S')} {wrong}")


class Client:
    """One of the clients; to each request it takes one of the machines.

    :param seed: of what it does.
    """

    def __init__(self, machines: Machines, fates: Fates, seen: Seen, seed: int) -> None:
        self._machines = machines
        self._fates = fates
        self._seen = seen
        self._random = random.Random(seed)
        self._clients = {name: machines.client(name) for name in NAMES}

    def ask(self, name: str, machine: str | None = None) -> None:
        """Ask one question about a document, and judge what is answered."""
        machine, body = machine or self._random.choice(NAMES), {"query": question(name)}
        began = time.monotonic()
        reply = self._sent(machine, "POST", "/query/run", json=body)
        ended = time.monotonic()
        if reply is None:
            return
        self._seen.add(queries=1)
        self._seen.took_s.append(ended - began)
        told = any(one["stage"] == "replica" or "behind" in str(one) for one in reply["degraded"])
        self._seen.add(behind=told)
        may, shown = self._fates.between(name, began, ended), versions_in(str(reply), name)
        if not shown and GONE not in may and not told:
            cited = [one["text"] for one in reply["citations"]]
            again = {one: versions_in(str(self._sent(one, "POST", "/query/run", json=body)), name) for one in NAMES}
            self._seen.say(f"lost: {name} of {sorted(may)} at {machine}: {cited}; asked again: {again}")
        if wrong := shown - may:
            self._seen.say(f"stale or deleted: {name} {sorted(wrong)} is shown, and {sorted(may)} may be")

    def bring(self, name: str) -> None:
        """Send the next version of a document, and wait until it is ingested; then any machine finds it."""
        version, key, began = self._fates.next_version(name), uuid.uuid4().hex, time.monotonic()
        with self._fates.becoming(name, version):
            for machine in self._machines_in_turn():
                files = {"files": (file_of(name), text_of(name, version))}
                form = {"data": {"graph": "ingest_fast"}, "files": files, "headers": {"Idempotency-Key": key}}
                job = self._sent(machine, "POST", "/documents", **form)
                if job is not None:
                    break
            self._wait_for(job, began)
        self._seen.add(uploads=1)
        self.ask(name, self._random.choice(NAMES))

    def delete(self, name: str) -> None:
        """Delete a document; from then on nobody is shown it."""
        source = self._machines.home / "uploads" / COLLECTION / file_of(name)
        with self._fates.becoming(name, GONE):
            for machine in self._machines_in_turn():
                if (
                    self._sent(machine, "DELETE", f"/documents/{doc_id_of(COLLECTION, str(source))}", gone=404)
                    is not None
                ):
                    break
        self._seen.add(deletes=1)
        self.ask(name, self._random.choice(NAMES))

    def _wait_for(self, job: Any, began: float) -> None:
        for machine in self._machines_in_turn():
            found = self._sent(machine, "GET", f"/jobs/{job['job_id']}")
            if found is not None and found["state"] in OVER:
                self._seen.job_s.append(time.monotonic() - began)
                if found["state"] != "finished" or found["result"]["failed"]:
                    self._seen.say(f"job {found['state']}: {found}")
                return
            if time.monotonic() - began > JOB_WITHIN_S:
                self._seen.say(f"job is not over after {JOB_WITHIN_S:.0f} s: {found}")
                began = float("inf")  # said once

    def _machines_in_turn(self) -> Iterator[str]:
        for number, machine in enumerate(itertools.cycle(self._random.sample(NAMES, len(NAMES)))):
            if number:
                time.sleep(RETRIED_AFTER_S)
            yield machine

    def _sent(self, machine: str, method: str, path: str, gone: int = 0, **more: Any) -> Any:
        """Return what is answered, {} for what is gone; None where the machine or the database is away."""
        began = time.monotonic()
        try:
            reply = self._clients[machine].request(method, path, **more)
        except httpx.TransportError as error:
            if not self._machines.away(f"{machine}-server", began, time.monotonic()):
                self._seen.say(f"{machine} does not answer {method} {path}: {type(error).__name__} {error}")
            self._seen.add(refused=1)
            return None
        if reply.status_code == gone:
            return {}
        if reply.status_code < 300:
            return reply.json()
        why = f"{method} {path} to {machine}: {reply.status_code} {reply.text[:300]}"
        if reply.status_code == 503 and "code" in reply.text:
            self._seen.add(away=1)
            if not self._machines.away("postgres", began, time.monotonic()):
                self._seen.say(f"the database is there: {why}")
        elif reply.status_code != 409:  # a job is at work on what is to be deleted
            self._seen.say(why)
        return None


def question(name: str) -> str:
    return f"Which code does {name} carry?"


def file_of(name: str) -> str:
    """Return a name of its file that no question names: it would be found by the catalog, whatever the indexes hold."""
    return f"{zlib.crc32(name.encode()):08x}.md"


def text_of(name: str, version: int) -> str:
    return f"# Ringing\n\nThe ringed {name} carries code {version}.\n"


def versions_in(text: str, name: str) -> set[int]:
    return {int(number) for number in re.findall(rf"{name} carries code (\d+)", text)}


def clients_at_work(
    machines: Machines, fates: Fates, seen: Seen, owners: list[list[str]], askers: int, over: threading.Event
) -> list[threading.Thread]:
    """Start a client that writes for each list of names, and so many that ask about all of them."""
    everything = [name for names in owners for name in names]
    work = [partial(_write, Client(machines, fates, seen, n), names, n, over) for n, names in enumerate(owners)]
    work += [partial(_ask, Client(machines, fates, seen, 100 + n), everything, n, over) for n in range(askers)]
    threads = [threading.Thread(target=one, daemon=True) for one in work]
    for thread in threads:
        thread.start()
    return threads


def _write(client: Client, names: list[str], seed: int, over: threading.Event) -> None:
    chance = random.Random(seed)
    for name in names:
        if not over.is_set():
            client.bring(name)
    while not over.is_set():
        name = chance.choice(names)
        client.delete(name) if chance.random() < 0.3 else client.bring(name)


def _ask(client: Client, names: list[str], seed: int, over: threading.Event) -> None:
    chance = random.Random(seed)
    while not over.is_set():
        client.ask(chance.choice(names))
        time.sleep(0.05)
