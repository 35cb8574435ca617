"""Clients that do nothing, or next to nothing, by the hundred; and those who must not see what others see."""

import contextlib
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from khub.server.library.ingest import ingest
from khub.server.named_tokens import create_token
from tests.soak.service import Service, fill, note, serving

pytestmark = pytest.mark.soak
HONEST = 50


def test_idle_and_slow_connections_keep_nobody_waiting(tmp_path: Path) -> None:
    question = fill(tmp_path)
    with serving(tmp_path) as service:
        stopped = threading.Event()
        body = service.head("POST", "/query/run", "Content-Type: application/json", "Content-Length: 4000")
        kinds = {b"": b"", b"POST /query/run HTTP/1.1\r\nX: ": b"x", body + b"{": b" "}
        with ThreadPoolExecutor(len(kinds)) as attackers:
            counts = [attackers.submit(attack, service, first, drop, stopped) for first, drop in kinds.items()]
            seconds = []
            try:
                for _ in range(HONEST):
                    began = time.monotonic()
                    with service.client() as client:
                        assert client.post("/query/run", json={"query": question()}).status_code == 200
                    seconds.append(time.monotonic() - began)
            finally:
                stopped.set()
        opened = sum(one.result() for one in counts)
    assert max(seconds) < 3
    figures = f"{HONEST} questions answered beside {opened} such connections, the slowest in {max(seconds):.2f} s"
    note("200 idle connections, 200 with slow headers, 200 with slow bodies, all the time", figures, "all; 3 s")


def attack(service: Service, first: bytes, drop: bytes, stopped: threading.Event) -> int:
    """Keep 200 connections open, each in place of one that was ended; return how many there were."""
    opened, connections = 0, []
    while not stopped.wait(0.2):
        for one in list(connections):
            try:
                one.sendall(drop)
                one.setblocking(False)
                ended = one.recv(1000) == b""
            except BlockingIOError:
                ended = False
            except OSError:
                ended = True
            one.setblocking(True)
            if ended:
                one.close()
                connections.remove(one)
        while len(connections) < 200:
            connections.append(service.connect(first))
            opened += 1
    for one in connections:
        with contextlib.suppress(OSError):
            one.close()
    return opened


def test_two_tokens_see_nothing_of_each_other(tmp_path: Path) -> None:
    words = {"red": "crimsonfinch", "blue": "azuretit"}
    for name, word in words.items():
        for level in ("public", "secret"):
            file = tmp_path / f"{name}-{level}.md"
            file.write_text(f"# {word}{level}\n\nThe {word}{level} nests in the old oak by the river.\n")
            ingest([str(file)], name, graph_name="ingest_fast", meta={"access_level": level})
    tokens = {name: create_token(name, collections=[name], levels=["public"])[0] for name in words}

    def ask(number: int) -> list[str]:
        """Ask fifty times by one token; return the answers that hold what is another's."""
        name = ("red", "blue")[number % 2]
        other = words["blue" if name == "red" else "red"]
        query, wrong = {"query": "What nests in the old oak by the river?"}, []
        with service.client(tokens[name]) as client:
            for _ in range(10):
                answers = [
                    client.post("/query/run", json=query),
                    client.post("/query/run", json={"query": "oak river", "legs": ["sparse"]}),
                    client.post("/query/run", json={**query, "collection": name, "legs": ["dense"]}),
                    client.get("/documents"),
                    client.get("/collections"),
                ]
                assert [one.status_code for one in answers] == [200] * 5
                assert all(f"{words[name]}public" in one.text for one in answers[:4])
                wrong += [one.text for one in answers if other in one.text or "secret" in one.text]
        return wrong

    with serving(tmp_path) as service, ThreadPoolExecutor(8) as clients:
        found = list(clients.map(ask, range(8)))
    assert found == [[]] * 8
    note("8 clients with two tokens, one worker", "400 answers, 0 hold anything of the other's", "0")
