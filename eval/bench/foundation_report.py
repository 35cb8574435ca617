"""The tables of `eval/results/foundation.md`, written from the measured results in `foundation.json`."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).parents[1] / "results" / "foundation.json"
Row = tuple[str, str, str, Callable[[dict[str, Any]], str]]

ROWS: tuple[Row, ...] = (
    (
        "unchanged", "re-ingest of 1,000 unchanged files, start-up excluded", ">= 500 files/s",
        lambda r: f"{r['files_per_s']} files/s ({r['files']} files, {r['written_again']} written again)",
    ),
    (
        "cold", "`khub query`, spawn to answer, core install", "<= 2.5 s",
        lambda r: f"median {r['median_s']} s, slowest {r['max_s']} s of {r['runs']}",
    ),
    (
        "cpu", "process CPU of a question, the golden ones on the samples, khub-base", "<= 22 ms",
        lambda r: f"{r['cpu_ms']} ms ({r['wall_ms']} ms of time, {r['questions']} questions)",
    ),
    (
        "cpu-fast", "the same, khub-fast", "<= 12 ms",
        lambda r: f"{r['cpu_ms']} ms ({r['wall_ms']} ms of time, {r['questions']} questions)",
    ),
    (
        "throughput", "questions answered by one process, 8 threads asking, khub-fast", ">= 60 a second",
        lambda r: f"{r['questions_per_s']} a second ({r['chunks']} chunks, {r['questions']} questions, "
        f"{r['degraded']} degraded)",
    ),
)  # fmt: skip


def write_report() -> None:
    """Write the tables of what has been measured."""
    measured = json.loads(RESULTS.read_text(encoding="utf-8"))
    lines = [
        "# Foundation: what was measured",
        "",
        "`make bench` (`python -m khub.eval.bench.foundation`): each row ran in a process of its own. Ingest, and",
        "questions over 100,000 chunks, stand in [bench.md](bench.md).",
        "",
        *_table(measured),
    ]
    RESULTS.with_suffix(".md").write_text("\n".join(lines) + "\n", encoding="utf-8")


def _table(measured: dict[str, Any]) -> list[str]:
    lines = ["| what | bar | measured | on |", "| --- | --- | --- | --- |"]
    for name, what, bar, shown in ROWS:
        if name in measured:
            row = measured[name]
            lines.append(f"| {what} | {bar} | {shown(row)} | {row['machine']}, {row['date']} |")
    return lines
