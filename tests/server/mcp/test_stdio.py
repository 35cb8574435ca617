"""The MCP server as a process of its own, as an assistant starts it."""

import json
import os
import signal
import subprocess
import sys
import time

import psutil
import pytest

from tests.server.mcp.conftest import MANUAL

pytestmark = pytest.mark.e2e

CLIENT = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}

NOISY = """\
import os, subprocess, sys
from typing import Any
from haystack import component

@component
class Noisy:
    @component.output_types(answer=dict[str, Any])
    def run(self, query: str, collection: str = ""):
        print("a print")
        os.write(1, b"a native print\\n")
        subprocess.run([sys.executable, "-c", "print('a print of a child'); print(len(input()))"], check=False)
        return {"answer": {"answer": "said", "abstained": False, "confidence": 1.0, "citations": [], "intent": "search",
                           "collection": collection, "legs": [], "degraded": []}}
"""
NOISY_GRAPH = """\
metadata: {kind: query, description: noisy}
components:
  say: {type: noisy.Noisy, init_parameters: {}}
connections: []
inputs: {query: say.query, collection: say.collection}
outputs: {answer: say.answer}
"""


class Server:
    """A server process, and one line of JSON at a time in and out."""

    def __init__(self, *arguments, **environment):
        command = [sys.executable, "-m", "server.cli", "mcp", *arguments]
        root = str(MANUAL.parents[2])
        paths = os.pathsep.join(filter(None, [root, environment.pop("PYTHONPATH", "")]))
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": paths, **environment},
        )  # fmt: skip
        self.lines = []

    def send(self, **message):
        self.raw(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")

    def raw(self, line):
        self.process.stdin.write(line)
        self.process.stdin.flush()

    def receive(self):
        line = self.process.stdout.readline()
        self.lines.append(line)
        message = json.loads(line)  # every line is one
        assert message["jsonrpc"] == "2.0"
        return message

    def reply_to(self, request_id):
        while (message := self.receive()).get("id") != request_id:
            pass
        return message

    def greet(self):
        self.send(id="hello", method="initialize", params=CLIENT)
        assert self.reply_to("hello")["result"]["serverInfo"]["name"] == "knowledge-hub"
        self.send(method="notifications/initialized")

    def call(self, request_id, name, **arguments):
        self.send(id=request_id, method="tools/call", params={"name": name, "arguments": arguments})


@pytest.fixture
def start():
    """A function that starts a server; it is ended with the test."""
    servers = []

    def run(*arguments, **environment):
        servers.append(Server(*map(str, arguments), **environment))
        return servers[-1]

    yield run
    for server in servers:
        server.process.kill()
        server.process.wait()
        for stream in (server.process.stdin, server.process.stdout, server.process.stderr):
            stream.close()


def test_only_the_protocol_is_on_standard_output(hub, start, tmp_path):
    (tmp_path / "noisy.py").write_text(NOISY, encoding="utf-8")
    (tmp_path / "graphs").mkdir()
    (tmp_path / "graphs" / "noisy.yaml").write_text(NOISY_GRAPH, encoding="utf-8")
    server = start(KHUB_PIPELINES=str(tmp_path / "graphs"), KHUB_ALLOWED_MODULES="noisy", PYTHONPATH=str(tmp_path))
    server.greet()
    for bad in (b"no json\n", b"\xff\xfe\n", b"\n", b"[1]\n", b'{"jsonrpc": "2.0", "id": "bad", "method": 1}\n'):
        server.raw(bad)
    numbers = list(range(20))
    for number in numbers:
        server.call(number, "query_knowledge_hub", query=f"say {number}", collection="default", graph="noisy")
    answered, refused = [], []
    while len(answered) < len(numbers):
        message = server.receive()
        if message.get("id") in numbers:
            assert message["result"]["structuredContent"]["answer"] == "said"
            answered.append(message["id"])
        else:
            refused.append((message["id"], message["error"]["code"]))
    assert sorted(answered) == numbers
    assert refused == [(None, -32700), (None, -32700), (None, -32600), ("bad", -32600)]
    started = time.monotonic()
    server.process.stdin.close()
    assert server.process.wait(timeout=10) == 0
    assert time.monotonic() - started < 2
    assert server.process.stdout.read() == b""
    shown = server.process.stderr.read().decode()
    assert shown.count("a native print") == shown.count("a print of a child") == len(numbers)


@pytest.mark.parametrize("leave", ["stdin", "SIGINT", "SIGTERM", "SIGKILL"])
def test_nothing_is_left_when_the_client_vanishes_during_a_job(start, tmp_path, monkeypatch, leave):
    if leave != "stdin" and sys.platform == "win32":
        pytest.skip("Windows has no signals")
    home = tmp_path / "hub"
    monkeypatch.setenv("KHUB_HOME", str(home))
    server = start("--allow-write", "--root", MANUAL.parent)
    server.greet()
    server.call(1, "ingest", paths=["."], collection="manuals", graph="ingest_fast")
    job = server.reply_to(1)["result"]["structuredContent"]["job_id"]
    record = home / "jobs" / f"{job}.json"
    deadline = time.monotonic() + 60
    reached = '"progress"' if leave == "SIGKILL" else '"running"'  # its graph has begun, or only its process
    while reached not in record.read_text(encoding="utf-8"):
        assert time.monotonic() < deadline
        time.sleep(0.02)
    family = [psutil.Process(server.process.pid), *psutil.Process(server.process.pid).children(recursive=True)]
    assert len(family) > 1
    if leave == "stdin":
        server.process.stdin.close()
    else:
        os.kill(server.process.pid, getattr(signal, leave))
    server.process.wait(timeout=10)
    _, left = psutil.wait_procs(family, timeout=2)
    assert [process for process in left if process.status() != psutil.STATUS_ZOMBIE] == []

    from server.mcp.jobs import Jobs

    found = Jobs().status(job)
    assert (found["state"], found["paths"]) == ("interrupted", [str(MANUAL.parent.resolve())])
    from components.catalog.catalog import open_catalog
    from components.stores.collection_lock import CollectionLocks

    if open_catalog().collections.exists("manuals"):
        with CollectionLocks(home, open_catalog().collections.state("manuals").slug).try_writer():
            pass  # nobody holds it
