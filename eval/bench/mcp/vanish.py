"""The client goes while a question or a job is under way: nothing may stay, and the job can be done again."""

import shutil
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path

import psutil

from khub.eval.bench.mcp.client import Client
from khub.eval.bench.mcp.hub import BROKEN_FILES, GOOD_FILES, filled_hub, khub, mixed_files, questions
from khub.eval.bench.mcp.vanish_result import LeftBehind, VanishResult, WholeAgain

GONE_S = 15
POLL_S = 0.01
ASKED = 5


def run(work: Path, chunks: int) -> dict[str, VanishResult]:
    """Leave in each way out of each work.

    :returns: for each: seconds until the process and its children had gone, and how many had not after 15 s; then
        whether the hub is whole and the job's files can be read.
    """
    files = mixed_files(work / "files-vanish")
    ways: dict[str, Callable[[Client], None]] = {"stdin closes": Client.close_stdin}
    if sys.platform != "win32":
        ways["SIGTERM"] = lambda running: running.process.send_signal(signal.SIGTERM)
    ways["SIGKILL"] = lambda running: running.process.kill()
    results: dict[str, VanishResult] = {}
    for work_name, begin in (("query", _begin_query), ("job", _begin_job)):
        for way, leave in ways.items():
            home = work / "home-vanish"
            shutil.rmtree(home, ignore_errors=True)
            shutil.copytree(filled_hub(work, chunks), home)
            results[f"{way} in a {work_name}"] = {**_left(home, files, begin, leave), **_whole(home, files)}
    return results


def _left(
    home: Path, files: Path, begin: Callable[[Client, Path], None], leave: Callable[[Client], None]
) -> LeftBehind:
    running = Client(home, ["--allow-write", "--root", str(files)])
    running.initialize()
    begin(running, files)
    server = psutil.Process(running.process.pid)
    family = [server, *server.children(recursive=True)]
    began = time.perf_counter()
    leave(running)
    while (stay := [process for process in family if _lives(process)]) and time.perf_counter() - began < GONE_S:
        time.sleep(POLL_S)
    seconds = time.perf_counter() - began
    for process in stay:
        process.kill()
    running.close()
    return {"processes": len(family), "gone_s": round(seconds, 2), "stayed": len(stay), "bad_lines": running.bad_lines}


def _lives(process: psutil.Process) -> bool:
    """Say whether a process still runs; one that has ended does not, although init may not have reaped it yet."""
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def _begin_query(running: Client, _files: Path) -> None:
    running.call("query_knowledge_hub", query="warm")
    for question in questions(ASKED):
        running.start("tools/call", {"name": "query_knowledge_hub", "arguments": {"query": question}})


def _begin_job(running: Client, files: Path) -> None:
    job = running.call("ingest", paths=[str(files)])["structuredContent"]["job_id"]
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        state = running.call("job_status", job_id=job)["structuredContent"]
        if (state.get("progress") or {}).get("done", 0) > 0 or state["state"] not in ("queued", "running"):
            return
        time.sleep(0.05)


def _whole(home: Path, files: Path) -> WholeAgain:
    """Do the job again and prove the hub whole."""
    running = Client(home, ["--allow-write", "--root", str(files)])
    try:
        running.initialize()
        job = running.call("ingest", paths=[str(files)])["structuredContent"]["job_id"]
        while True:
            state = running.call("job_status", job_id=job)["structuredContent"]
            if state["state"] not in ("queued", "running"):
                break
            time.sleep(0.2)
    finally:
        running.close()
    result = state.get("result") or {}
    read = result.get("written", 0) + result.get("unchanged", 0)
    khub(home, "doctor")
    return {"job_again": state["state"], "whole": read == GOOD_FILES and result.get("failed") == BROKEN_FILES}
