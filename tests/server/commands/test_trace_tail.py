"""`khub trace tail` shows what comes, also while the log rotates."""

import json
import os
import queue
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from khub.server.traces.log import trace_path
from khub.server.traces.rotating_lines import append_line

pytestmark = [pytest.mark.e2e, pytest.mark.skipif(sys.platform == "win32", reason="POSIX signal")]
DEADLINE_S = 60


def record(name, kind="query"):
    about = {"trace_id": f"{name:0>32}", "time": "2026-01-01T00:00:00.000+00:00", "kind": kind, "graph": kind}
    return {**about, "collection": "c", "query": f"about {name}", "totals": {"ms": 5.4}, "degraded": [], "error": None}


def write(one):
    append_line(trace_path(), json.dumps(one), max_bytes=800, kept_files=4)


@pytest.fixture
def tail():
    """Return a function that starts the command, and returns the process and its lines."""
    processes = []

    def start(*options):
        environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[3])}
        command = [sys.executable, "-m", "khub.server.cli", "trace", "tail", *options]
        process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        processes.append(process)
        lines: queue.Queue[str] = queue.Queue()
        threading.Thread(target=lambda: [lines.put(line.decode()) for line in process.stdout], daemon=True).start()
        end = time.monotonic() + DEADLINE_S
        while lines.empty():  # it shows what comes after its first look
            assert time.monotonic() < end
            write(record(f"{len(processes)}{time.monotonic_ns()}"))
            time.sleep(0.2)
        write(record("beef"))
        while "beef" not in lines.get(timeout=DEADLINE_S):
            pass
        return process, lines

    yield start
    for process in processes:
        process.kill()
        process.communicate()


def test_lines_come_while_the_log_rotates_until_ctrl_c(tail):
    write(record("old"))
    process, lines = tail()
    for name in ("a", "b", "c", "d", "e"):  # two of them fill a file
        write(record(name))
        line = lines.get(timeout=DEADLINE_S)
        assert f"about {name}" in line
        assert "5 ms" in line
    process.send_signal(signal.SIGINT)
    assert process.wait(DEADLINE_S) == 130
    assert lines.empty()


def test_of_one_kind_as_json(tail):
    _, lines = tail("--kind", "query", "--json")
    write(record("a", "ingest"))
    write(record("b"))
    assert json.loads(lines.get(timeout=DEADLINE_S))["query"] == "about b"
