"""The shipped graph files are Haystack's own: they run without the hub around them, and in Hayhooks."""

import json
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

import pytest
from haystack import Pipeline

PIPELINES = Path(__file__).parents[1] / "pipelines"
ALLOWED = ["khub.components.*", "khub.eval.evaluators.*"]
GRAPHS = [
    PIPELINES / f"{name}.yaml"
    for name in ("ingest", "query", "ingest_fast", "evaluate", "more/ask", "more/ingest_dedup")
]


@pytest.fixture
def notes(tmp_path):
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "birds.md").write_text("# Birds\n\nHerons wade slowly in shallow water.\n", encoding="utf-8")
    (folder / "预算.md").write_text("# 差旅预算\n\n酒店每晚上限为六百元。\n", encoding="utf-8")
    return sorted(str(file) for file in folder.iterdir())


def contents(pipeline):
    """What a graph says; Haystack writes connections in an order of its own."""
    data = pipeline.to_dict()
    return {**data, "connections": sorted(data["connections"], key=json.dumps)}


@pytest.mark.integration
@pytest.mark.parametrize("file", GRAPHS, ids=lambda file: file.stem)
def test_round_trip(file):
    pipeline = Pipeline.loads(file.read_text(encoding="utf-8"), allowed_modules=ALLOWED)
    again = Pipeline.loads(pipeline.dumps(), allowed_modules=ALLOWED)
    assert contents(again) == contents(pipeline)
    assert again.inputs() == pipeline.inputs()
    assert again.outputs() == pipeline.outputs()


BARE = """
import asyncio, json, sys
from haystack import Pipeline
from khub.components.value import as_json

def load(name):
    with open(f"{sys.argv[1]}/{name}.yaml", encoding="utf-8") as file:
        return Pipeline.load(file, allowed_modules=["khub.components.*"])

sources = json.loads(sys.argv[2])
report = load("ingest").run({"check": {"sources": sources, "collection": "notes"}})["write"]["report"]
query, question = load("query"), sys.argv[3]
inputs = {"route": {"query": question, "collection": "notes"}}
answers = [query.run(inputs)["answer"]["answer"], asyncio.run(query.run_async(inputs))["answer"]["answer"]]
sys.stdout.buffer.write(json.dumps({"report": report, "answers": as_json(answers)}).encode())
"""


@pytest.mark.e2e
@pytest.mark.parametrize(
    ("question", "file"), [("How do herons wade?", "birds.md"), ("酒店每晚上限是多少?", "预算.md")]
)
def test_bare_pipelines_answer_in_a_fresh_process(notes, question, file):
    command = [sys.executable, "-c", BARE, str(PIPELINES), json.dumps(notes), question]
    done = subprocess.run(command, capture_output=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr.decode()
    result = json.loads(done.stdout)
    assert sorted(w["source"] for w in result["report"]["written"]) == notes
    assert result["report"]["failed"] == []
    for answer in result["answers"]:
        assert answer["citations"][0]["source"].endswith(file)
        assert not answer["abstained"]
        assert answer["degraded"] == []
    assert result["answers"][0] == result["answers"][1]


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def post(url, body):
    request = urllib.request.Request(url, json.dumps(body).encode(), {"Content-Type": "application/json"})
    try:
        with urllib.request.urlopen(request, timeout=60) as response:
            return json.load(response)
    except urllib.error.HTTPError as error:
        pytest.fail(f"{url}: {error.code} {error.read().decode()}")


@pytest.fixture
def hayhooks(tmp_path):
    """Start an unchanged Hayhooks server over the shipped graphs; return its address."""
    port, log = free_port(), tmp_path / "hayhooks.log"
    environment = {
        **os.environ,
        "HAYSTACK_DESERIALIZATION_ALLOWLIST": "khub.*",
        "HAYHOOKS_TRACING_ENABLED": "false",
        "HAYHOOKS_MONITORING_ENABLED": "false",
        "PYTHONPATH": str(PIPELINES.parent),
        "PYTHONUTF8": "1",
        "NO_PROXY": "127.0.0.1",
    }
    for graph in GRAPHS:
        (tmp_path / "pipelines").mkdir(exist_ok=True)
        shutil.copy(graph, tmp_path / "pipelines")
    program = shutil.which("hayhooks", path=str(Path(sys.executable).parent))
    command = [program, "run", "--host", "127.0.0.1", "--port", str(port), "--pipelines-dir", "pipelines"]
    with log.open("wb") as output:
        server = subprocess.Popen(command, env=environment, cwd=tmp_path, stdout=output, stderr=subprocess.STDOUT)
        try:
            wait_until_ready(f"http://127.0.0.1:{port}/status", server, log)
            yield f"http://127.0.0.1:{port}"
        finally:
            server.terminate()
            try:
                server.wait(15)
            except subprocess.TimeoutExpired:
                server.kill()
                server.wait()


def wait_until_ready(url, server, log):
    deadline = time.monotonic() + 90
    while True:
        assert server.poll() is None, log.read_text(encoding="utf-8")
        assert time.monotonic() < deadline, log.read_text(encoding="utf-8")
        try:
            with urllib.request.urlopen(url, timeout=5) as response:
                if {"ingest", "query"} <= set(json.load(response)["pipelines"]):
                    return
        except (urllib.error.URLError, OSError):
            pass
        time.sleep(0.1)


@pytest.mark.e2e
def test_hayhooks_serves_both_graphs(hayhooks, notes, monkeypatch):
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    # Hayhooks wants every declared input in the body; null stands for the default

    def ingest():
        inputs = {"sources": notes, "collection": "notes", "recipe": None, "meta": None}
        return post(f"{hayhooks}/ingest/run", inputs)["result"]

    def ask(question, **more):
        inputs = {"query": question, "collection": "notes", "top_k": 1, "filters": None, "legs": None, **more}
        return post(f"{hayhooks}/query/run", inputs)["result"]["answer"]["answer"]

    # it answers with the sockets of the components that declare an output
    assert sorted(w["source"] for w in ingest()["write"]["report"]["written"]) == notes
    assert sorted(ingest()["check"]["unchanged"]) == notes
    for question, file in (("How do herons wade?", "birds.md"), ("酒店每晚上限是多少?", "预算.md")):
        answer = ask(question)
        assert [c["source"].endswith(file) for c in answer["citations"]] == [True]
        assert answer["degraded"] == []
    assert [leg["used"] for leg in ask("herons", legs=["sparse"])["legs"]] == [False, True]
