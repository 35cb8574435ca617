"""Measure what traces cost, and how fast they are found among many: `python -m khub.eval.bench.traces`.

The traces of a list are made of real ones: the golden questions are asked of the sample documents, and their records
are written again and again with ids, times and questions of their own, until there are enough.
"""

import argparse
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

from khub.eval.cases import read_cases
from khub.eval.figures import folder_mb, percentile
from khub.eval.machine import machine
from khub.eval.run.files import write_file
from khub.eval.run.hub_home import hub_home_at
from khub.eval.run.throw_away_collection import NAME, throw_away_collection
from khub.server.graphs.load import load_graph
from khub.server.questions.ask import ask
from khub.server.traces.index import RunFilter, find_runs, find_trace, read_traces, run_values
from khub.server.traces.index_file import with_index
from khub.server.traces.log import trace_path, write_trace
from khub.server.traces.run_groups import ORDERS, find_groups
from khub.server.traces.trace_record import TraceRecord

HERE = Path(__file__).parents[1]
RESULT = HERE / "results" / "traces.md"
SETS = [HERE / "golden" / f"{name}.jsonl" for name in ("handbook-en", "handbook-zh", "samples")]
PAGE, REPEATS = 50, 20
COLLECTIONS = ("default", "manuals", "差旅", "research")
PAGE_BAR_S, WORDS_BAR_S, TRACING_BAR_MS = 2.0, 1.0, 1.0

Figure = tuple[str, str, str]
"""What was measured, its bar, and how it came out."""


def main() -> None:
    """Measure, and write the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--traces", type=int, default=50_000)
    parser.add_argument("--questions", type=int, default=1000, help="asked with traces, and as often without")
    parser.add_argument("--work", type=Path, default=None, help="where the log is made, and removed from again")
    options = parser.parse_args()
    questions = [case.question for file in SETS for case in read_cases(file)]
    with hub_home_at(throw_away_collection(HERE / "samples", load_graph("ingest")).home):
        for question in questions:
            ask(question, NAME)
        cost = list(_cost_of_tracing(questions, options.questions))
        real = read_traces(len(questions), "query")
    with tempfile.TemporaryDirectory(dir=options.work) as folder, hub_home_at(Path(folder)):
        for record in many(real, options.traces):
            write_trace(record)
        figures = list(_searches())
    report = _report([*figures, *cost], options.traces)
    sys.stdout.write(report)
    write_file(RESULT, report)


def many(real: list[TraceRecord], count: int) -> Iterator[TraceRecord]:
    """Yield records of the kind and size of real ones; one in 40 degraded, one in 60 failed, one in 20 an ingest."""
    chance = random.Random(0)
    asked = datetime(2026, 1, 1, tzinfo=UTC)
    for number in range(count):
        record, other = chance.choice(real), chance.choice(real)
        asked += timedelta(seconds=chance.uniform(1, 600))
        about: TraceRecord = {
            "trace_id": uuid.UUID(int=chance.getrandbits(128)).hex,
            "time": asked.isoformat(timespec="milliseconds"),
            "query": f"{record['query']} {other['query']} ({number})",
            "collection": chance.choice(COLLECTIONS),
        }
        if number % 40 == 0:
            about["degraded"] = [{"stage": "dense", "reason": "no answer in 2 s"}]
        if number % 60 == 0:
            about["error"] = "graph 'query' failed: rank: ValueError: nothing to rank"
        if number % 20 == 0:
            about |= {
                "kind": "ingest",
                "graph": "ingest",
                "source_count": 1,
                "sources": [f"/documents/file-{number}.pdf"],
            }
        yield {**record, **about}


def _searches() -> Iterator[Figure]:
    """Time lists and filters; each figure is the slowest of its repeats, but for what happens once."""
    started = time.perf_counter()
    first = find_runs(RunFilter(), 0, PAGE)
    yield "the very first page, which makes the index", "", f"{time.perf_counter() - started:.1f} s"
    size = f"{folder_mb(trace_path().parent) / 1000:.2f} GB, {_index_mb():.0f} MB of it the index"
    yield "the log, and its index", "", f"{first.total:,} traces, {size}"
    yield _timed("the first page", PAGE_BAR_S, lambda: find_runs(RunFilter(), 0, PAGE))
    yield _timed("a page in the middle", PAGE_BAR_S, lambda: find_runs(RunFilter(), first.total // 2, PAGE))
    yield _timed("the first page after a new trace", PAGE_BAR_S, lambda: _page_after_another(first.runs[0].trace_id))
    for name, wanted in (
        ("words that some hold", RunFilter(words="error E-4012")),
        ("Chinese words", RunFilter(words="知识 问题")),
        ("words that none holds", RunFilter(words="nothing-holds-this 没有")),
        ("words of one trace", RunFilter(words="(4321)")),
        ("words in a collection", RunFilter(words="robot", collection="manuals")),
        ("degraded", RunFilter(degraded=True)),
        ("failed ingests", RunFilter(kinds=("ingest",), failed=True)),
        ("questions slower than 50 ms", RunFilter(kinds=("query",), slower_ms=50)),
    ):
        total = find_runs(wanted, 0, PAGE).total
        yield _timed(f"{name} ({total:,} found)", WORDS_BAR_S, partial(find_runs, wanted, 0, PAGE))
    for order in ORDERS:
        for name, wanted in (("questions", RunFilter(kinds=("query",))), ("some words", RunFilter(words="E-4012"))):
            found = partial(find_groups, wanted, order, 0, PAGE)
            yield _timed(f"{name}, repeated ones together, p50 and p95, sorted by {order}", WORDS_BAR_S, found)
    yield _timed("the graphs and collections to choose from", WORDS_BAR_S, run_values)
    yield _timed("one trace whole, by 8 characters", WORDS_BAR_S, lambda: find_trace(first.runs[-1].trace_id[:8]))
    seconds = statistics.median(_command_s() for _ in range(5))
    yield "`khub trace list`, spawn to list", f"<= {PAGE_BAR_S:g} s", f"{seconds:.2f} s"


def _page_after_another(trace_id: str) -> None:
    known = find_trace(trace_id) or {}
    write_trace({**known, "trace_id": uuid.uuid4().hex})
    find_runs(RunFilter(), 0, PAGE)


def _timed(name: str, bar_s: float, work: Callable[[], Any]) -> Figure:
    seconds = []
    for _ in range(REPEATS):
        started = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - started)
    return name, f"<= {bar_s:g} s", f"{max(seconds) * 1000:.0f} ms"


def _index_mb() -> float:
    pages = "SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()"
    return float(with_index(trace_path(), lambda index, _: index.execute(pages).fetchone()[0]) / 1e6)


def _command_s() -> float:
    started = time.perf_counter()
    subprocess.run([sys.executable, "-m", "khub.server.cli", "trace", "list"], check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - started


def _cost_of_tracing(questions: list[str], count: int) -> Iterator[Figure]:
    """Ask each question with traces and without, one right after the other, and the other way round the next time."""
    spent: dict[str, list[float]] = {"off": [], "standard": []}
    cpu = {"off": 0.0, "standard": 0.0}
    for number in range(count):
        question = questions[number % len(questions)]
        for level in ("off", "standard") if number % 2 else ("standard", "off"):
            os.environ["KHUB_TRACE"] = level
            started, cpu_started = time.perf_counter(), time.process_time()
            ask(question, NAME)
            cpu[level] += time.process_time() - cpu_started
            spent[level].append((time.perf_counter() - started) * 1000)
    del os.environ["KHUB_TRACE"]
    off, on = (percentile(spent[level], 50) for level in ("off", "standard"))
    pairs = statistics.median(b - a for a, b in zip(spent["off"], spent["standard"], strict=True))
    yield "a warm question without traces, p50", "", f"{off:.2f} ms"
    yield "the same at `standard`, p50", f"<= {TRACING_BAR_MS:g} ms more", f"{on:.2f} ms: {on - off:+.2f} ms"
    yield "what it costs more, median of the pairs", f"<= {TRACING_BAR_MS:g} ms", f"{pairs:+.2f} ms"
    yield "the same in CPU of the process, mean", "", f"{(cpu['standard'] - cpu['off']) / count * 1000:+.2f} ms"
    yield "processes that waited for a core meanwhile", "", f"{os.getloadavg()[0]:.1f} (load of the last minute)"


def _report(figures: list[Figure], traces: int) -> str:
    lines = [
        "# Traces",
        "",
        f"What it takes to find runs among {traces:,}, and what a trace costs a question. Of lists and filters the",
        f"slowest of {REPEATS} repeats counts. Made by `python -m khub.eval.bench.traces` from traces of the golden",
        "questions.",
        "",
        f"On {machine()}, {time.strftime('%Y-%m-%d')}.",
        "",
        "| what | bar | measured |",
        "|---|---|---|",
        *(f"| {name} | {bar} | {measured} |" for name, bar, measured in figures),
    ]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
