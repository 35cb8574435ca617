"""Readers that query all the time beside a writer."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from khub.eval.bench.corpus import Corpus
from tests.soak.torture.worker import Worker, use_hub, workers

CHARACTERS = 6000
LEAST_QUERIES = 20


def run(work: Path, seconds: float = 300, readers: int = 3) -> dict[str, Any]:
    """Query from several processes while one ingests, changes and deletes.

    :param seconds: how long; on a slow machine until each has been at work.
    :param readers: how many processes query.
    :returns: queries, degraded answers, errors, crashes, batches written, the slowest query in ms.
    """
    home, files = work / "home", work / "files"
    files.mkdir(parents=True)
    use_hub(home)
    totals: dict[str, Any] = {"queries": 0, "degraded": 0, "errors": [], "slowest_ms": 0.0, "writes": 0}
    lock, end = threading.Lock(), time.monotonic() + seconds
    with workers(home, readers + 1) as (writer, *others):
        corpus = Corpus("en", seed=5)
        for number in range(20):
            (files / f"{number}.md").write_text(corpus.document(CHARACTERS), encoding="utf-8")
        writer.call("ingest", paths=[str(files)])
        with ThreadPoolExecutor(readers) as pool:
            reading = [pool.submit(_read, reader, seed, end, totals, lock) for seed, reader in enumerate(others)]
            _write(writer, files, corpus, end, totals)
        for one in reading:
            one.result()
    return {"readers": readers, "seconds": seconds, **totals}


def _read(reader: Worker, seed: int, end: float, totals: dict[str, Any], lock: threading.Lock) -> None:
    corpus = Corpus("en", seed=100 + seed)
    while not _over(totals, end):
        started = time.perf_counter()
        try:
            answer = reader.call("ask", query=corpus.question())
        except RuntimeError as error:
            with lock:
                totals["errors"].append(str(error))
            if reader.process.poll() is not None:
                return
            continue
        with lock:
            totals["queries"] += 1
            totals["degraded"] += bool(answer["degraded"])
            totals["slowest_ms"] = max(totals["slowest_ms"], round((time.perf_counter() - started) * 1000))


def _over(totals: dict[str, Any], end: float) -> bool:
    both = totals["queries"] >= LEAST_QUERIES and totals["writes"] > 0
    return time.monotonic() >= end and (both or bool(totals["errors"]))


def _write(writer: Worker, files: Path, corpus: Corpus, end: float, totals: dict[str, Any]) -> None:
    number = 0
    while not _over(totals, end):
        number += 1
        changed = [files / f"{(number * 3 + n) % 20}.md" for n in range(3)]
        for file in changed:
            file.write_text(corpus.document(CHARACTERS), encoding="utf-8")
        writer.call("ingest", paths=[str(file) for file in changed])
        if number % 5 == 0:
            writer.call("delete", name=changed[0].name)
        totals["writes"] += 1
