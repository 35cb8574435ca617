"""The MCP server as a process of its own, as an assistant starts it."""

import json
import os
import signal
import subprocess
import sys
import threading
import time

import psutil
import pytest
import yaml

from khub.components.catalog.catalog import open_catalog
from khub.components.home import hub_home
from khub.components.stores.collection_lock import CollectionLocks
from khub.server.jobs.child_jobs import ChildJobs
from khub.server.jobs.job_record import JobRecord
from khub.server.library.ingest import BATCH_FILES
from tests.server.mcp.conftest import MANUAL

pytestmark = pytest.mark.e2e

CLIENT = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}

NOISY = """\
import os, subprocess, sys
from typing import Any
from haystack import component

CHILD = "import os; os.write(1, b'a print of a child'); print(len(input()))"  # in one write: nothing comes between

@component
class Noisy:
    @component.output_types(answer=dict[str, Any])
    def run(self, query: str, collection: str = ""):
        print("a print")
        os.write(1, b"a native print\\n")
        subprocess.run([sys.executable, "-c", CHILD], check=False)
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

IN_MEMORY = {
    "retriever": "haystack.components.retrievers.in_memory.InMemoryEmbeddingRetriever",
    "store": {
        "type": "haystack.document_stores.in_memory.document_store.InMemoryDocumentStore",
        "init_parameters": {"index": "{collection}"},
    },
}


class Server:
    """A server process, and one line of JSON at a time in and out."""

    def __init__(self, *arguments, **environment):
        command = [sys.executable, "-m", "khub.server.cli", "mcp", *arguments]
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

    def ask(self, name, **arguments):
        self.call(name, name, **arguments)
        return self.reply_to(name)["result"]


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


@pytest.fixture
def graphs(tmp_path, monkeypatch):
    """A folder of two graphs: one that prints, and one that ingests."""
    folder = tmp_path / "graphs"
    folder.mkdir()
    (tmp_path / "noisy.py").write_text(NOISY, encoding="utf-8")
    (folder / "noisy.yaml").write_text(NOISY_GRAPH, encoding="utf-8")
    graph = yaml.safe_load((MANUAL.parents[2] / "pipelines" / "ingest_fast.yaml").read_text(encoding="utf-8"))
    graph["components"]["write"]["init_parameters"]["template"]["init_parameters"] = (
        IN_MEMORY  # Chroma is slow to import
    )
    (folder / "ingest_fast.yaml").write_text(yaml.safe_dump(graph), encoding="utf-8")
    monkeypatch.setenv("KHUB_PIPELINES", str(folder))
    return folder


def begin_job(server, reached):
    """Start an ingest; return its id and all processes, once its record has a field or a state."""
    server.call("job", "ingest", paths=["."], collection="manuals", graph="ingest_fast")
    job = server.reply_to("job")["result"]["structuredContent"]["job_id"]
    deadline = time.monotonic() + 60
    while reached not in (record := JobRecord(job).read()) and record["state"] != reached:
        assert time.monotonic() < deadline
        time.sleep(0.02)
    family = [psutil.Process(server.process.pid), *psutil.Process(server.process.pid).children(recursive=True)]
    assert len(family) > 1
    return job, family


def assert_all_is_left_in_order(server, job, family):
    """All processes have gone in two seconds; the job may be done again, and nobody holds its collection."""
    waiting = threading.Thread(target=server.process.wait)  # it is this process's child: a zombie until then
    waiting.start()
    _, left = psutil.wait_procs(family, timeout=2)
    waiting.join(10)
    assert [process for process in left if process.is_running() and process.status() != psutil.STATUS_ZOMBIE] == []

    found = ChildJobs().status(job)
    assert (found["state"], found["paths"]) == ("interrupted", [str(MANUAL.parent.resolve())])
    if open_catalog().collections.exists("manuals"):
        with CollectionLocks(hub_home(), open_catalog().index_states.state("manuals").slug).try_writer():
            pass  # nobody holds it


def test_only_the_protocol_is_on_standard_output_until_the_client_leaves_and_all_goes(start, graphs):
    server = start(
        "--allow-write", "--root", MANUAL.parent, KHUB_ALLOWED_MODULES="noisy", PYTHONPATH=str(graphs.parent)
    )
    server.greet()
    for bad in (b"no json\n", b"\xff\xfe\n", b"\n", b"[1]\n", b'{"jsonrpc": "2.0", "id": "bad", "method": 1}\n'):
        server.raw(bad)
    refused = [server.receive() for _ in range(4)]
    assert [(message["id"], message["error"]["code"]) for message in refused] == [
        (None, -32700), (None, -32700), (None, -32600), ("bad", -32600),
    ]  # fmt: skip
    open_catalog().collections.create("default")
    numbers = list(range(20))
    for number in numbers:
        server.call(number, "query_knowledge_hub", query=f"say {number}", collection="default", graph="noisy")
    replies = [server.receive() for _ in numbers]
    assert sorted(message["id"] for message in replies) == numbers
    assert {message["result"]["structuredContent"]["answer"] for message in replies} == {"said"}
    job, family = begin_job(server, "running")
    server.process.stdin.close()
    assert_all_is_left_in_order(server, job, family)
    assert server.process.returncode == 0
    assert server.process.stdout.read() == b""
    shown = server.process.stderr.read().decode()
    assert shown.count("a native print") == shown.count("a print of a child") == len(numbers), shown


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no signals")
@pytest.mark.parametrize(
    ("leave", "reached"),
    [("SIGINT", "running"), ("SIGTERM", "running"), ("SIGKILL", "progress")],  # its graph has begun
)
def test_nothing_is_left_when_the_server_is_ended_during_a_job(start, graphs, leave, reached):
    server = start("--allow-write", "--root", MANUAL.parent)
    server.greet()
    job, family = begin_job(server, reached)
    os.kill(server.process.pid, getattr(signal, leave))
    assert_all_is_left_in_order(server, job, family)


@pytest.fixture
def notes(tmp_path):
    """A folder of more files than go in three batches."""
    folder = tmp_path / "notes"
    folder.mkdir()
    for number in range(BATCH_FILES * 3 + 1):
        (folder / f"note-{number:03}.md").write_text(f"# Note {number}\n\nText {number}.\n", encoding="utf-8")
    return folder


def wait_for(server, job, reached):
    """Ask for a job until it is as it should be; return the last result."""
    deadline = time.monotonic() + 60
    while not reached((result := server.ask("job_status", job_id=job))["structuredContent"]):
        assert time.monotonic() < deadline
        time.sleep(0.02)
    return result


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no signals")
def test_job_whose_process_was_killed_goes_on_where_it_ended_and_does_nothing_twice(start, graphs, notes):
    wanted = {"paths": [str(notes)], "collection": "notes", "graph": "ingest_fast"}
    server = start("--allow-write", "--root", notes)
    server.greet()
    job = server.ask("ingest", **wanted)["structuredContent"]["job_id"]
    wait_for(server, job, lambda found: (found.get("progress") or {"done": 0})["done"] >= BATCH_FILES)
    [process] = psutil.Process(server.process.pid).children()
    os.killpg(process.pid, signal.SIGKILL)  # the job alone, with all that it started
    told = wait_for(server, job, lambda found: found["state"] not in ("queued", "running"))
    assert told["structuredContent"]["state"] == "interrupted"
    assert "call ingest again" in told["content"][0]["text"]
    assert told["structuredContent"]["remedy"] in told["content"][0]["text"]
    before = {row["source"]: row["ingested_at"] for row in open_catalog().documents.of_collection("notes", "ready")}
    assert BATCH_FILES <= len(before) < BATCH_FILES * 3

    server.process.kill()
    other = start("--allow-write", "--root", notes)  # it has not seen the job
    other.greet()
    assert other.ask("job_status", job_id=job)["structuredContent"]["state"] == "interrupted"
    elsewhere = other.ask("ingest", **{**wanted, "collection": "others", "paths": [str(notes / "note-000.md")]})
    assert elsewhere["structuredContent"]["job_id"] != job
    again = other.ask("ingest", **wanted)["structuredContent"]
    assert (again["job_id"], again["resumed"], again.get("remedy")) == (job, 1, None)
    told = wait_for(other, job, lambda found: found["state"] not in ("queued", "running"))
    result = told["structuredContent"]["result"]
    assert (result["unchanged"], result["written"], result["failed"]) == (
        len(before),
        BATCH_FILES * 3 + 1 - len(before),
        0,
    )
    assert "goes on" in told["content"][0]["text"]
    after = {row["source"]: row["ingested_at"] for row in open_catalog().documents.of_collection("notes", "ready")}
    assert len(after) == BATCH_FILES * 3 + 1
    assert {source: after[source] for source in before} == before
    assert other.ask("ingest", **wanted)["structuredContent"]["job_id"] != job  # one that has finished is not taken up
