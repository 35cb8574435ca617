"""The measurements, each made in a process of its own."""

import time
from pathlib import Path
from typing import Any

from khub.eval.figures import folder_mb, percentile
from khub.eval.lab.comparison.data_set import chunks_of, read_questions
from khub.eval.lab.comparison.known_items import check_found
from khub.eval.lab.comparison.system import Clock, load_system


def measure_ingest(name: str, data: Path, index: Path) -> dict[str, Any]:
    """Index all chunks of a data set; reading them, and loading code and model, do not count.

    :param data: folder of the prepared data set.
    :param index: folder of the system's index, empty.
    """
    clock = Clock()
    system = load_system(name, index, clock)
    system.prepare()
    chunks, seconds = 0, 0.0
    for batch in system.batches(chunks_of(data)):
        started = time.perf_counter()
        system.add(batch)
        seconds += time.perf_counter() - started
        chunks += len(batch)
    started = time.perf_counter()
    system.finish()
    seconds += time.perf_counter() - started
    return {
        "chunks": chunks,
        "seconds": round(seconds, 3),
        "chunks_per_s": round(chunks / seconds, 1),
        "parts_s": {part: round(value, 3) for part, value in clock.parts.items()},
        "disk_mb": folder_mb(index),
    }


def measure_cold(name: str, data: Path, index: Path, run: int, top_k: int, started: float) -> dict[str, Any]:
    """Open the index and answer a first question.

    :param run: which of the questions for this.
    :param started: when the process began, on the clock of `time.perf_counter`.
    """
    questions = read_questions(data).cold
    system = load_system(name, index, Clock())
    imported = time.perf_counter()
    system.open()
    opened = time.perf_counter()
    system.search(questions[run % len(questions)].text, top_k)
    answered = time.perf_counter()
    return {
        "seconds": round(answered - started, 3),
        "parts_s": {
            "import": round(imported - started, 3),
            "open": round(opened - imported, 3),
            "answer": round(answered - opened, 3),
        },
    }


def measure_query(name: str, data: Path, index: Path, top_k: int) -> dict[str, Any]:
    """Ask one question after the other, each once, after some that do not count.

    :raises KhubError: when the answers show that the index is empty or broken.
    """
    questions = read_questions(data)
    system = load_system(name, index, Clock())
    system.open()
    for question in questions.warm:
        system.search(question.text, top_k)
    times: list[float] = []
    stages: dict[str, list[float]] = {}
    hits = degraded = 0
    for question in questions.timed:
        started = time.perf_counter()
        found = system.search(question.text, top_k)
        times.append((time.perf_counter() - started) * 1000)
        hits += question.chunk_id in found.ids[:top_k]
        degraded += found.degraded
        for stage, ms in found.stages.items():
            stages.setdefault(stage, []).append(ms)
    check_found(name, hits, len(times), top_k)
    return {
        "queries": len(times),
        **{f"p{percent}_ms": round(percentile(times, percent), 2) for percent in (50, 95, 99)},
        "hit_rate": round(hits / len(times), 3),
        "degraded": degraded,
        "stages_p50_ms": {stage: round(percentile(values, 50), 2) for stage, values in stages.items()},
    }
