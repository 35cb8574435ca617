"""The tables of `eval/results/foundation.md`, written from the measured results in `foundation.json`."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).parents[1] / "results" / "foundation.json"
Row = tuple[str, str, str, Callable[[dict[str, Any]], str]]

ROWS: tuple[Row, ...] = (
    (
        "ingest-en", "ingest of English text by ingest_fast, both indexes", ">= 500 chunks/s",
        lambda r: f"{r['chunks_per_s']} chunks/s ({r['chunks']} chunks, {r['seconds']} s, peak {r['peak_mb']} MB)",
    ),
    (
        "ingest-zh", "the same, Chinese text", ">= 350 chunks/s",
        lambda r: f"{r['chunks_per_s']} chunks/s ({r['chunks']} chunks, {r['seconds']} s, peak {r['peak_mb']} MB)",
    ),
    (
        "query", "query, in process, warm", "p50 <= 25 ms, p99 <= 70 ms, peak <= 700 MB",
        lambda r: f"p50 {r['p50_ms']} ms, p99 {r['p99_ms']} ms, peak {r['peak_mb']} MB "
        f"({r['chunks']} chunks, {r['queries']} questions, {r['degraded']} degraded)",
    ),
    (
        "unchanged", "re-ingest of 1,000 unchanged files, start-up excluded", ">= 500 files/s",
        lambda r: f"{r['files_per_s']} files/s ({r['files']} files, {r['written_again']} written again)",
    ),
    (
        "cold", "`khub query`, spawn to answer, core install", "<= 2.5 s",
        lambda r: f"median {r['median_s']} s, slowest {r['max_s']} s of {r['runs']}",
    ),
)  # fmt: skip


def write_report() -> None:
    """Write the tables of what has been measured."""
    measured = json.loads(RESULTS.read_text(encoding="utf-8"))
    lines = [
        "# Foundation: what was measured",
        "",
        "`make bench` (`python -m eval.bench.foundation`): generated text with Zipf word frequencies, chunks of",
        "800 characters, overlap 150; each row ran in a process of its own.",
        "",
        *_table(measured),
    ]
    if "query" in measured:
        stages = ", ".join(f"{stage} {ms}" for stage, ms in measured["query"]["stages_p50_ms"].items())
        lines += ["", f"Stages of a query, p50 in ms: {stages}."]
    RESULTS.with_suffix(".md").write_text("\n".join(lines) + "\n", encoding="utf-8")


def _table(measured: dict[str, Any]) -> list[str]:
    lines = ["| what | bar | measured | on |", "| --- | --- | --- | --- |"]
    for name, what, bar, shown in ROWS:
        if name in measured:
            row = measured[name]
            lines.append(f"| {what} | {bar} | {shown(row)} | {row['machine']}, {row['date']} |")
    return lines
