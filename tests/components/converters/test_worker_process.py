import hashlib
import os
import signal
import subprocess
import sys
import threading
import time

import psutil
import pytest

from khub.components.converters import worker_process
from khub.components.converters.worker_process import WorkerProcess
from khub.components.errors import KhubError, SourceError
from tests.error_codes import raises_code

pytestmark = pytest.mark.integration


@pytest.fixture
def ask(tmp_path):
    def run(worker: WorkerProcess, name: str, timeout_s: float = 60, data: bytes = b"<h1>Hello</h1>"):
        path = tmp_path / name
        path.write_bytes(data)
        file = {"path": str(path), "sha256": hashlib.sha256(data).hexdigest(), "max_mb": 10}
        return worker.ask({"kind": "convert", "pictures": True, "pdf_engine": "khub", **file}, timeout_s)

    return run


@pytest.fixture
def hostile(monkeypatch, misbehaving):
    monkeypatch.setattr(worker_process, "_START", misbehaving)
    worker = WorkerProcess(memory_mb=1000)
    yield worker
    worker.close()


def test_one_worker_serves_many_files_and_is_closed(ask, gone):
    worker = WorkerProcess(memory_mb=1000)
    assert worker.pid is None
    assert ask(worker, "a.html")["text"] == "# Hello"
    pid = worker.pid
    assert ask(worker, "b.html")["text"] == "# Hello"
    assert worker.pid == pid
    worker.close()
    worker.close()
    assert gone(pid)
    assert worker.pid is None
    assert ask(worker, "c.html")["text"] == "# Hello"
    pid = worker.pid
    del worker
    assert gone(pid)


def test_a_crash_costs_one_file(hostile, ask):
    ask(hostile, "a.html")
    with raises_code("source_damaged", "'crash.html'"):
        ask(hostile, "crash.html")
    assert ask(hostile, "b.html")["text"] == "# Hello"


def test_a_hang_costs_one_file(hostile, ask, gone):
    ask(hostile, "a.html")
    pid = hostile.pid
    with raises_code("source_timeout", "'hang.html'", "0.5 s") as caught:
        ask(hostile, "hang.html", timeout_s=0.5)
    assert "raise timeout_s" in caught.value.remedy
    assert gone(pid)
    assert ask(hostile, "b.html")["text"] == "# Hello"


def test_the_start_does_not_count_as_conversion(hostile, ask, monkeypatch):
    monkeypatch.setattr(worker_process, "_START", "import time; time.sleep(3); " + worker_process._START)
    assert ask(hostile, "a.html", timeout_s=3)["text"] == "# Hello"


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="memory is limited on Linux only")
@pytest.mark.parametrize(("memory_mb", "fits"), [(300, False), (900, True)])
def test_memory_limit(hostile, ask, memory_mb, fits):
    hostile.memory_mb = memory_mb
    if fits:
        assert ask(hostile, "swell.html")["text"] == "# Hello"
    else:
        with pytest.raises(SourceError, match=f"needs more than {memory_mb} MB"):
            ask(hostile, "swell.html")
        assert ask(hostile, "b.html")["text"] == "# Hello"


def test_what_a_library_prints_stays_out_of_the_replies(hostile, ask):
    assert ask(hostile, "print.html")["text"] == "''"
    assert ask(hostile, "b.html")["text"] == "# Hello"


@pytest.mark.parametrize("name", ["fetch.html", "spawn.html"])
def test_neither_network_nor_programs(hostile, ask, name):
    with raises_code("source_unreadable", "PermissionError"):
        ask(hostile, name)


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")
def test_ctrl_c_does_not_end_the_worker(hostile, ask):
    ask(hostile, "a.html")
    pid = hostile.pid
    os.kill(pid, signal.SIGINT)
    ask(hostile, "b.html")
    assert hostile.pid == pid


def test_several_threads_share_a_worker(hostile, ask):
    texts = []

    def convert(i: int) -> None:
        texts.append(ask(hostile, f"{i}.html", data=f"<p>{i}</p>".encode())["text"])

    threads = [threading.Thread(target=convert, args=(i,)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(texts) == [str(i) for i in range(8)]


def test_the_working_directory_decides_nothing(ask, tmp_path, monkeypatch):
    trap = tmp_path / "trap"
    (trap / "components").mkdir(parents=True)
    for name in ("components/__init__.py", "markitdown.py", "json.py"):
        (trap / name).write_text("raise SystemExit(3)", encoding="utf-8")
    monkeypatch.chdir(trap)
    worker = WorkerProcess(memory_mb=1000)
    try:
        assert ask(worker, "a.html")["text"] == "# Hello"
    finally:
        worker.close()


def test_one_of_several_requests_starts_no_worker(hostile, tmp_path):
    with raises_code("job_cancelled", "'a.pdf'"):
        hostile.ask({"kind": "clean", "path": str(tmp_path / "a.pdf")}, 60, since=time.monotonic())
    assert hostile.pid is None
    hostile.start()
    pid = hostile.pid
    hostile.start()
    assert hostile.pid == pid


def test_the_time_of_earlier_requests_counts(hostile, tmp_path):
    path = tmp_path / "hang.html"
    path.write_bytes(b"x")
    file = {"path": str(path), "sha256": hashlib.sha256(b"x").hexdigest(), "max_mb": 10, "pictures": True}
    hostile.start()
    began = time.monotonic()
    with raises_code("source_timeout", "600 s"):
        hostile.ask({"kind": "convert", "pdf_engine": "khub", **file}, 600, since=began - 599)
    assert time.monotonic() - began < 60


def test_a_worker_that_cannot_start(monkeypatch, ask):
    monkeypatch.setattr(worker_process, "_START", "raise SystemExit(3)")
    with raises_code("program_failed", "ended with 3"):
        ask(WorkerProcess(memory_mb=1000), "a.html")


def test_a_missing_library_is_named(monkeypatch, ask):
    start = "import sys; sys.modules['pypdfium2'] = None; " + worker_process._START
    monkeypatch.setattr(worker_process, "_START", start)
    with pytest.raises(KhubError, match=r"did not start .*pypdfium2"):
        ask(WorkerProcess(memory_mb=1000), "a.html")


@pytest.mark.parametrize("busy", [False, True])
def test_the_worker_ends_with_a_hub_that_was_killed(busy, tmp_path, misbehaving, gone):
    path = tmp_path / ("hang.html" if busy else "a.html")
    path.write_bytes(b"x")
    script = (
        "import sys, hashlib\nfrom khub.components.converters import worker_process\n"
        "worker_process._START = sys.argv[2]\nworker = worker_process.WorkerProcess(1000)\nworker._start()\n"
        "print(worker.pid, flush=True)\n"
        "file = dict(path=sys.argv[1], sha256=hashlib.sha256(b'x').hexdigest(), max_mb=10, pictures=True)\n"
        "worker.ask(dict(kind='convert', pdf_engine='khub', **file), 600)\nsys.stdin.read()\n"
    )
    hub = subprocess.Popen(
        [sys.executable, "-c", script, str(path), misbehaving], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    pid = int(hub.stdout.readline())
    assert psutil.pid_exists(pid)
    hub.kill()
    hub.communicate()
    assert gone(pid)
