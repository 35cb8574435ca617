"""Real clients of other people, each in an environment of its own, with a model that is played, against a real hub."""

import json
import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.clients.environments import NotInstalledError, python_of
from tests.conformance.node_tools import NoNpmError, node_command
from tests.eval.examples.chat_server import Calls, ChatServer, serving

ROOT = Path(__file__).parents[2]
SCRIPTS = Path(__file__).parent / "scripts"
MANUAL = ROOT / "eval" / "samples" / "ember-300-operator-manual-en.pdf"
OWN = ("openai", "mcp2")
"""Families of which the hub's own environment has the packages."""
TOKEN = "a-token-that-only-the-tests-know"
TITLE = "Ember 300 Operator Manual"
QUESTION = "Where is the error memory read?"
CALLS = Calls(
    [
        ("query_knowledge_hub", {"query": QUESTION, "collection": "", "top_k": 3}),
        ("read_section", {"doc_id": TITLE, "pages": 4, "section": ""}),
        ("get_page_image", {"doc_id": TITLE, "page": 4, "highlight": ""}),
        ("describe", {"text": "ember", "filters": ["doc_type=pdf"], "cursor": ""}),
    ]
)
ANSWER = "In the service menu [1]."
WAIT_S, READY_S = 240, 120


@pytest.fixture(scope="session")
def hub_environment(tmp_path_factory) -> dict[str, str]:
    """The variables of a hub with two collections."""
    folder = tmp_path_factory.mktemp("clients")
    (folder / "herons.md").write_text("# Herons\n\nHerons wade slowly in shallow water.\n", encoding="utf-8")
    kept = {name: value for name, value in os.environ.items() if not name.startswith("KHUB_")}
    own = {"KHUB_HOME": str(folder / "hub"), "KHUB_PIPELINES": str(ROOT / "pipelines"), "PYTHONPATH": str(ROOT)}
    environment = {**kept, **own, "PYTHONUTF8": "1"}
    for source, collection in ((MANUAL, "default"), (folder / "herons.md", "birds")):
        command = [sys.executable, "-m", "khub.server.cli", "ingest", str(source), "--collection", collection]
        subprocess.run(command, cwd=folder, env=environment, capture_output=True, check=True)
    return environment


@pytest.fixture(scope="session")
def service(hub_environment, tmp_path_factory) -> Iterator[str]:
    """The address of `khub serve` over that hub, which asks for a token."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "khub.server.cli", "serve", "--port", str(port)]
    log = tmp_path_factory.mktemp("service") / "log.txt"
    with log.open("w") as told:
        process = subprocess.Popen(
            command, cwd=log.parent, env={**hub_environment, "KHUB_TOKEN": TOKEN}, stdout=told, stderr=told
        )
        try:
            _wait_until_ready(f"http://127.0.0.1:{port}", process, log)
            yield f"http://127.0.0.1:{port}"
        finally:
            process.kill()
            process.wait()


def _wait_until_ready(address: str, process: "subprocess.Popen[bytes]", log: Path) -> None:
    deadline = time.monotonic() + READY_S
    request = urllib.request.Request(f"{address}/readyz", headers={"Authorization": f"Bearer {TOKEN}"})
    while True:
        try:
            with urllib.request.urlopen(request, timeout=10):
                return
        except (OSError, urllib.error.URLError):
            assert process.poll() is None, log.read_text(encoding="utf-8")
            assert time.monotonic() < deadline, log.read_text(encoding="utf-8")
            time.sleep(0.1)


@pytest.fixture
def played() -> Iterator[ChatServer]:
    """A model that calls the hub's tools, and then answers."""
    with serving() as server:
        server.turns = [CALLS, ANSWER]
        yield server


@pytest.fixture
def run_client(pytestconfig, tmp_path) -> Callable[..., dict[str, Any]]:
    """A function: run the script of a family, return what it says; skip or fail where its packages cannot be had."""

    def run(family: str, script: str, **given: Any) -> dict[str, Any]:
        try:
            command = _command(family, script, pytestconfig.cache.mkdir("clients"))
        except (NotInstalledError, NoNpmError) as reason:
            if os.environ.get("KHUB_REQUIRE_DEPS") == "1":
                pytest.fail(str(reason))
            pytest.skip(str(reason))
        environment = {
            name: value for name, value in os.environ.items() if not name.startswith(("KHUB_", "PYTHONPATH"))
        }
        environment |= {"PYTHONUTF8": "1", "HOME": str(tmp_path), "OPENAI_AGENTS_DISABLE_TRACING": "1"}
        done = subprocess.run(
            [*command, json.dumps(given)], cwd=tmp_path, env=environment, capture_output=True, text=True,
            encoding="utf-8", timeout=WAIT_S, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr[-6000:]
        return dict(json.loads(done.stdout.splitlines()[-1]))

    return run


def _command(family: str, script: str, cache: Path) -> list[str]:
    path = SCRIPTS / script
    if path.suffix == ".mjs":
        node, module = node_command("openai", "7.59.0", "index.mjs")
        return [node, str(path), module]
    python = sys.executable if family in OWN else str(python_of(family, cache))
    return [python, str(path)]
