"""Logs and runs, where other processes take part."""

import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from khub.server.traces.rotating_lines import append_line, files_newest_first

pytestmark = pytest.mark.integration

BLOCK = """\
metadata: {kind: query}
components: {part: {type: graph_parts.Block}}
inputs: {query: part.query}
outputs: {documents: part.documents}
"""


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX signal")
def test_ctrl_c_ends_a_process_whose_component_hangs(write_graph, tmp_path):
    write_graph("one", BLOCK)
    code = (
        f"import sys; sys.path.append({str(Path(__file__).parents[1])!r})\n"
        "import threading, graph_parts\n"
        "from khub.server.graphs.load import load_graph\nfrom khub.server.graphs.run import run_graph\n"
        "say = lambda: (graph_parts.STARTED.wait(20), sys.stdout.write('started\\n'), sys.stdout.flush())\n"
        "threading.Thread(target=say, daemon=True).start()\n"
        "run_graph(load_graph('one'), {'query': 'q'})\n"
    )
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    with process:
        assert process.stdout.readline() == "started\n"
        started = time.perf_counter()
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=15)
    assert "KeyboardInterrupt" in errors
    assert time.perf_counter() - started < 10  # the component would wait 20 s


def test_threads_and_processes_lose_no_line(tmp_path):
    path = tmp_path / "x.jsonl"
    code = (
        "import sys; from pathlib import Path; from khub.server.traces.rotating_lines import append_line\n"
        "for i in range(300): append_line(Path(sys.argv[1]), f'{sys.argv[2]} {i} ' + 'x' * 200, 20000, 50)\n"
    )
    processes = [subprocess.Popen([sys.executable, "-c", code, str(path), f"p{n}"]) for n in range(3)]
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda i: append_line(path, f"t {i} " + "x" * 200, 20000, 50), range(300)))
    assert [process.wait(60) for process in processes] == [0, 0, 0]
    files = files_newest_first(path)
    lines = [line for file in files for line in file.read_text(encoding="utf-8").splitlines() if line]
    assert {line.rpartition(" ")[0] for line in lines} == {
        f"{w} {i}" for w in ("t", "p0", "p1", "p2") for i in range(300)
    }
    assert len(lines) == 1200
    assert len(files) > 5
    assert all(file.stat().st_size >= 20000 for file in files if file != path)


def test_standard_streams(tmp_path):
    code = (
        "import logging, sys; from khub.server.traces.app_log import configure_logging\n"
        "configure_logging(stderr=sys.argv[1] == 'yes'); configure_logging(stderr=sys.argv[1] == 'yes')\n"
        "logging.getLogger('x').info('low'); logging.getLogger('x').warning('high')\n"
    )
    for stderr, shown in (("yes", "WARNING: high\n"), ("no", "")):
        done = subprocess.run([sys.executable, "-c", code, stderr], capture_output=True, text=True, check=True)
        assert (done.stdout, done.stderr) == ("", shown)
