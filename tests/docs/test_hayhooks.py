"""The commands of service/http.md serve the query graph, and the request below them is answered."""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.docs.conftest import run_here
from tests.docs.markdown import DOCS, blocks
from tests.docs.shell import Shell
from tests.docs.transcript import commands

pytestmark = pytest.mark.e2e

NOT_YET = '{"detail":"Not Found"}'  # it listens before its graphs are loaded


@pytest.fixture
def shell(home, reader):
    if not shutil.which("curl"):
        pytest.skip("no curl")
    reader.play(run_here()[0])  # the samples are in
    return Shell(home / "knowledge-hub", home)


def test_the_query_graph_is_served(shell, tmp_path):
    program = Path(sys.executable).parent / "hayhooks"
    here = {"/tmp/served": str(tmp_path / "served"), "1416": str(free_port()), ".venv/bin/hayhooks": str(program)}
    scripts = [block.text for block in blocks(DOCS / "service/http.md", "sh")]
    for old, new in here.items():
        scripts = [script.replace(old, new) for script in scripts]
    (copy, serve), (request,) = map(commands, scripts)
    assert shell.run(copy)[0] == 0
    with serving(serve, shell) as server:
        answer = answered(request, shell, server)
    assert "result" in answer, answer
    assert len(answer["result"]["answer"]["answer"]["citations"]) == 1
    assert "Beacon" in answer["result"]["answer"]["answer"]["answer"]
    assert [file.name for file in (tmp_path / "served").iterdir()] == ["query.yaml"]


class serving:  # noqa: N801 - a context manager
    def __init__(self, command, shell):
        self.server = subprocess.Popen(
            ["bash", "-c", f"exec env {command}"],
            cwd=shell.folder,
            env=shell.environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )

    def __enter__(self):
        return self.server

    def __exit__(self, *error):
        os.killpg(self.server.pid, signal.SIGKILL)
        self.server.wait()


def answered(request, shell, server):
    deadline = time.monotonic() + 90
    while True:
        code, came = shell.run(request)
        if code == 0 and came != NOT_YET:
            return json.loads(came)
        assert server.poll() is None, "the server has ended"
        assert time.monotonic() < deadline, came
        time.sleep(0.2)


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]
