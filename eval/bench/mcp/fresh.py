"""Several servers and an ingest on the same data at once: every answer is as of the last ingest that had ended."""

import random
import shutil
import threading
import time
from pathlib import Path
from typing import cast

from khub.eval.bench.mcp.client import Client
from khub.eval.bench.mcp.fresh_result import FreshResult
from khub.eval.bench.mcp.hub import filled_hub, khub, questions

FILES = 8


def run(work: Path, minutes: float, chunks: int, servers: int = 3) -> FreshResult:
    """Change, add and delete documents while all servers are asked.

    :returns: rounds, questions, answers that lacked what was there or showed what was not, errors, degraded answers.
    """
    home = work / "home-fresh"
    shutil.rmtree(home, ignore_errors=True)
    shutil.copytree(filled_hub(work, chunks), home)
    files = work / "files-fresh"
    shutil.rmtree(files, ignore_errors=True)
    files.mkdir(parents=True)
    running = [Client(home) for _ in range(servers)]
    for one in running:
        one.initialize()
    over = threading.Event()
    counts = {"asked": 0, "errors": 0, "degraded": 0}
    lock = threading.Lock()
    askers = [
        threading.Thread(target=_ask_on, args=(one, seed, over, counts, lock)) for seed, one in enumerate(running)
    ]
    for asker in askers:
        asker.start()
    try:
        totals = _rounds(home, files, running, time.monotonic() + minutes * 60)
    finally:
        over.set()
        for asker in askers:
            asker.join()
        for one in running:
            one.close()
    khub(home, "doctor")
    bad = sum(len(one.bad_lines) for one in running)
    found = {"servers": servers, "minutes": minutes, **totals, **counts, "not_json_rpc": bad, "doctor": "clean"}
    return cast(FreshResult, found)


def _rounds(home: Path, files: Path, running: list[Client], end: float) -> dict[str, int]:
    words: dict[Path, str] = {}
    gone: list[str] = []
    totals = {"rounds": 0, "checks": 0, "stale": 0, "ghosts": 0}
    choose = random.Random(0)
    while time.monotonic() < end:
        number = totals["rounds"]
        path = files / f"note-{number % FILES}.md"
        if path in words:
            gone.append(words.pop(path))
        if number % 5 == 4 and path.exists():
            khub(home, "delete", path.name, "--yes")
            path.unlink()
        else:
            words[path] = f"zq{number}xw"
            path.write_text(f"# Note\n\nThe code word is {words[path]} today.\n", encoding="utf-8")
            khub(home, "ingest", str(files))
        for one in running:
            wanted = choose.sample(sorted(words.values()), min(2, len(words)))
            totals["stale"] += sum(not _finds(one, word) for word in wanted)
            totals["ghosts"] += sum(_finds(one, word) for word in gone[-2:])
            totals["checks"] += len(wanted) + len(gone[-2:])
        totals["rounds"] += 1
    return totals


def _finds(running: Client, word: str) -> bool:
    answer = running.call("query_knowledge_hub", query=word, mode="keyword")["structuredContent"]
    return any(word in citation["evidence"] for citation in answer["citations"])


def _ask_on(running: Client, seed: int, over: threading.Event, counts: dict[str, int], lock: threading.Lock) -> None:
    asked = questions(500, seed)
    number = 0
    while not over.is_set():
        try:
            answer = running.call("query_knowledge_hub", query=asked[number % len(asked)])["structuredContent"]
            degraded, error = "degraded" in answer, False
        except Exception:
            degraded, error = False, True
        with lock:
            counts["asked"] += 1
            counts["errors"] += error
            counts["degraded"] += degraded
        number += 1
