"""Measure an embedding model alone: retrieval quality by brute force, speed, and the time to the first vector.

A data set is a folder in the format of BEIR (`corpus.jsonl`, `queries.jsonl`, `qrels/test.tsv`):

    python eval/models/evaluate.py minilm-static-en BEIR/xquad_en BEIR/cranfield --no-title
"""

import argparse
import csv
import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from haystack import Document

from components.embedders.model_folder import EmbeddingModel, load_model
from components.text.chunk_text import embedded_text

CUT = 10
CHUNK = 800
SPEED_CHUNKS = 2000
QUERY_REPEATS = 3

COLD = """
import time; start = time.perf_counter()
import sys
from components.embedders.model_folder import load_model
load_model(sys.argv[1]).encode(["a first question"])
sys.stdout.write(str(time.perf_counter() - start))
"""


class Dataset(NamedTuple):
    """Texts with their ids, and for each query the relevant passages with their gains."""

    name: str
    passages: dict[str, str]
    queries: dict[str, str]
    gains: dict[str, dict[str, float]]


def read_dataset(folder: Path, with_title: bool) -> Dataset:
    """Read a BEIR folder; queries without a relevant passage are left out."""
    gains: dict[str, dict[str, float]] = {}
    with (folder / "qrels" / "test.tsv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            if float(row["score"]) > 0:
                gains.setdefault(row["query-id"], {})[row["corpus-id"]] = float(row["score"])
    queries = {line["_id"]: line["text"] for line in _lines(folder / "queries.jsonl") if line["_id"] in gains}
    passages = {line["_id"]: _passage(line, with_title) for line in _lines(folder / "corpus.jsonl")}
    return Dataset(folder.name, passages, queries, gains)


def _lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def _passage(line: dict[str, Any], with_title: bool) -> str:
    return embedded_text(Document(content=line["text"], meta={"title": line.get("title") if with_title else None}))


def quality(model: EmbeddingModel, data: Dataset) -> tuple[float, float]:
    """Return nDCG@10 (gains linear, discount log2 of rank + 1) and recall@10, both the mean over queries in percent."""
    scores = model.encode(list(data.queries.values())) @ model.encode(list(data.passages.values())).T
    ids = list(data.passages)
    discounts = 1 / np.log2(np.arange(2, CUT + 2))
    ndcg, recall = [], []
    for query, row in zip(data.queries, scores, strict=True):
        wanted = data.gains[query]
        best = np.argsort(-row, kind="stable")[:CUT]
        found = [wanted.get(ids[i], 0.0) for i in best]
        ideal = sorted(wanted.values(), reverse=True)[:CUT]
        ndcg.append(float(np.dot(found, discounts[: len(found)]) / np.dot(ideal, discounts[: len(ideal)])))
        recall.append(sum(gain > 0 for gain in found) / len(wanted))
    return 100 * float(np.mean(ndcg)), 100 * float(np.mean(recall))


def chunks_per_second(model: EmbeddingModel, data: Dataset) -> float:
    """Encode chunks of 800 characters and divide by the CPU seconds of all threads, which is the rate of one core."""
    text = " ".join(data.passages.values())
    pieces = [text[start : start + CHUNK] for start in range(0, len(text) - CHUNK, CHUNK)]
    chunks = (pieces * (SPEED_CHUNKS // len(pieces) + 1))[:SPEED_CHUNKS]
    start = time.process_time()
    model.encode(chunks)
    return len(chunks) / (time.process_time() - start)


def query_ms(model: EmbeddingModel, data: Dataset) -> float:
    """Encode the queries one by one, three rounds; median milliseconds."""
    times = []
    for query in list(data.queries.values()) * QUERY_REPEATS:
        start = time.perf_counter()
        model.encode([query])
        times.append(time.perf_counter() - start)
    return 1000 * float(np.median(times))


def cold_seconds(model: str) -> float:
    """Seconds from the first import to the first vector in a new process (best of three)."""
    runs = [
        subprocess.run([sys.executable, "-c", COLD, model], capture_output=True, text=True, check=True)
        for _ in range(3)
    ]
    return min(float(run.stdout) for run in runs)


def main() -> None:
    """Print two Markdown tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", help="name of a shipped model, or path of a model folder")
    parser.add_argument("datasets", type=Path, nargs="+", help="folders in the format of BEIR")
    parser.add_argument("--no-title", action="store_true", help="leave the titles of the passages out")
    arguments = parser.parse_args()

    model = load_model(arguments.model)
    datasets = [read_dataset(folder, not arguments.no_title) for folder in arguments.datasets]
    print("| data set | passages | queries | nDCG@10 | recall@10 |\n| --- | ---: | ---: | ---: | ---: |")
    for data in datasets:
        ndcg, recall = quality(model, data)
        print(f"| {data.name} | {len(data.passages)} | {len(data.queries)} | {ndcg:.1f} | {recall:.1f} |")
    print("\n| fingerprint | dimension | chunks/s, one core | query ms | cold start s |")
    print("| --- | ---: | ---: | ---: | ---: |")
    speed, latency = chunks_per_second(model, datasets[0]), query_ms(model, datasets[0])
    cold = cold_seconds(arguments.model)
    print(f"| {model.fingerprint} | {model.dimension} | {speed:,.0f} | {latency:.2f} | {cold:.2f} |")


if __name__ == "__main__":
    main()
