"""Speed of an embedding model: chunks a second, milliseconds a query, seconds to the first vector."""

import json
import subprocess
import sys
import time
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from khub.components.embedders.model_folder import EmbeddingModel
from khub.components.text.language import detect_language
from khub.eval.retrieve.beir import Dataset

CHUNK_CHARACTERS = 800
MOST_CHUNKS = 512
ENCODE_SECONDS = 3.0
QUERIES = 200
QUERY_REPEATS = 3
COLD_RUNS = 5

COLD = """
import time; start = time.perf_counter()
import sys
from khub.components.embedders.model_folder import load_model
load_model(sys.argv[1], int(sys.argv[2])).encode(["a first question"])
seconds = time.perf_counter() - start
import json; sys.stdout.write(json.dumps([seconds, "torch" in sys.modules]))
"""


class QueryTime(NamedTuple):
    """Milliseconds of one query."""

    median: float
    p95: float


class ColdStart(NamedTuple):
    """Seconds from the first import to the first vector in a new process, and whether that imported torch."""

    seconds: float
    torch: bool


def speed_chunks(datasets: Sequence[Dataset], language: str) -> list[str]:
    """Cut the passages of a language, joined, into up to 512 chunks of 800 characters; all of them differ."""
    passages = dict.fromkeys(text for data in datasets for text in data.passages.values())
    text = " ".join(passage for passage in passages if detect_language(passage) == language)
    starts = range(0, len(text) - CHUNK_CHARACTERS + 1, CHUNK_CHARACTERS)
    return list(dict.fromkeys(text[start : start + CHUNK_CHARACTERS] for start in starts))[:MOST_CHUNKS]


def chunks_per_second(model: EmbeddingModel, chunks: Sequence[str]) -> float | None:
    """Encode all the chunks again and again for at least 3 s of wall time, all threads at work; None without chunks."""
    if not chunks:
        return None
    model.encode(chunks[:8])
    rounds, start = 0, time.perf_counter()
    while (seconds := time.perf_counter() - start) < ENCODE_SECONDS:
        model.encode(chunks)
        rounds += 1
    return rounds * len(chunks) / seconds


def query_time(model: EmbeddingModel, datasets: Sequence[Dataset]) -> QueryTime:
    """Encode up to 200 queries, evenly taken from all sets, one by one, three rounds."""
    queries = [query for data in datasets for query in data.queries.values()]
    step = max(1, len(queries) // QUERIES)
    times = []
    for query in queries[::step][:QUERIES] * QUERY_REPEATS:
        start = time.perf_counter()
        model.encode([query])
        times.append(1000 * (time.perf_counter() - start))
    return QueryTime(float(np.median(times)), float(np.percentile(times, 95)))


def cold_start(model: str, threads: int) -> ColdStart:
    """Load a model and embed one question in a new process, five times; return the fastest."""
    command = [sys.executable, "-c", COLD, model, str(threads)]
    runs = [
        ColdStart(*json.loads(subprocess.run(command, capture_output=True, encoding="utf-8", check=True).stdout))
        for _ in range(COLD_RUNS)
    ]
    return min(runs)
