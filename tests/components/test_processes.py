"""What takes a process of its own: its imports, its end, its fork, its neighbours."""

import json
import multiprocessing
import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from tiny_onnx import write_model

from khub.components.enrichers.cache import EnrichmentCache

pytestmark = pytest.mark.integration


@pytest.mark.parametrize("name", ["khub-base", "khub-fast"])
def test_torch_is_never_imported_and_the_model_comes_with_the_first_text(name: str):
    code = (
        "import json, sys, haystack\n"
        "by_haystack = set(sys.modules)\n"  # it imports torch where that is installed
        "from khub.components.embedders.text_embedder import TextEmbedder\n"
        "from khub.components.embedders.document_embedder import DocumentEmbedder\n"
        "from khub.components.embedders.model_folder import _load\n"
        "large = ('torch', 'transformers', 'sentence_transformers', 'onnxruntime')\n"
        "seen = lambda: [_load.cache_info().currsize, [m for m in large if m in set(sys.modules) - by_haystack]]\n"
        "before, embedder = seen(), TextEmbedder(sys.argv[1])\n"
        "made = seen(); embedder.run('a question 问题')\n"
        "sys.stdout.write(json.dumps([before, made, seen()]))"
    )
    done = subprocess.run([sys.executable, "-c", code, name], capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 0, done.stderr
    used = ["onnxruntime"] if name == "khub-base" else []
    assert json.loads(done.stdout) == [[0, []], [0, []], [1, used]]


def test_process_ends_while_threads_embed(tmp_path: Path):
    code = (
        "import sys, threading, pathlib, numpy; from khub.components.embedders.onnx_model import OnnxModel;"
        "from khub.components.errors import KhubError;"
        "graph = OnnxModel(pathlib.Path(sys.argv[1]), 3)._graph; begun = threading.Barrier(9)\n"
        "def embed():\n"
        "    begun.wait()\n"
        "    try:\n"
        "        while True: graph.embed(numpy.full(50_000, 7))\n"  # some milliseconds each
        "    except KhubError: pass\n"  # that the process ends; a daemon thread's traceback may itself abort the end
        "for _ in range(8): threading.Thread(target=embed, daemon=True).start()\n"
        "begun.wait()\n"
        "graph.embed(numpy.full(50_000, 7))\n"
    )
    command = [sys.executable, "-c", code, str(write_model(tmp_path, quantised=True))]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr


HUNG_PROCESS = """
import asyncio, threading
from haystack import component
from khub.components.guard import Guard
from khub.components.idle_threads import IDLE, IdleThreads

@component
class Hangs:
    @component.output_types(documents=list)
    def run(self):
        threading.Event().wait()

guard = Guard(Hangs(), "rank", timeout_s=0.05)
print(guard.run()["degraded"], asyncio.run(guard.run_async())["degraded"])
"""


def test_a_hung_thread_does_not_hold_up_the_end_of_the_process() -> None:
    done = subprocess.run([sys.executable, "-c", HUNG_PROCESS], capture_output=True, text=True, timeout=60, check=True)

    assert done.stdout.count("in 0.05 s") == 2


FORK = """
import os, sys, threading, time
from khub.components.idle_threads import IDLE, SHARED
def once():
    done = threading.Event()
    used = []
    SHARED.start(lambda: (used.append(threading.current_thread()), done.set()), "once")
    return done.wait(10) and used[0]
thread, end = once(), time.monotonic() + 10
while thread.name != IDLE and time.monotonic() < end:
    time.sleep(0.001)
child = os.fork()
if not child:
    os._exit(0 if once() else 3)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork on this system")
def test_a_forked_process_has_threads_of_its_own() -> None:
    assert subprocess.run([sys.executable, "-c", FORK], check=False, timeout=60).returncode == 0


def write_some(path: Path, name: str) -> None:
    cache = EnrichmentCache(path)
    for number in range(20):
        cache.put(f"{name}{number}", "refine", number)


def test_several_processes_write_to_a_cache_of_replies_and_nothing_is_lost(tmp_path: Path) -> None:
    path = tmp_path / "c.sqlite3"
    context = multiprocessing.get_context("fork" if "fork" in multiprocessing.get_all_start_methods() else "spawn")
    workers = [context.Process(target=write_some, args=(path, name)) for name in "abc"]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(timeout=60)
    assert [worker.exitcode for worker in workers] == [0, 0, 0]
    assert len(EnrichmentCache(path).get([f"{name}{number}" for name in "abc" for number in range(20)])) == 60
    with sqlite3.connect(path) as connection:
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
