"""The tables of `eval/results/foundation.md`, written from the measured results in `foundation.json`."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).parents[1] / "results" / "foundation.json"
GROWTHS = {"growth": "khub-fast", "growth-base": "khub-base"}
Row = tuple[str, str, str, Callable[[dict[str, Any]], str]]

ROWS: tuple[Row, ...] = (
    (
        "unchanged", "re-ingest of 1,000 unchanged files, start-up excluded", ">= 500 files/s",
        lambda r: f"{r['files_per_s']} files/s ({r['files']} files, {r['written_again']} written again)",
    ),
    (
        "cold", "`khub query`, spawn to answer", "<= 1.3 s of CPU",
        lambda r: _costs(r["alone"]) + (", torch installed" if r["torch"] else ""),
    ),
    ("cold", "the same beside `khub serve`", "<= .35 s of CPU", lambda r: _costs(r["beside"])),
    (
        "mcp", "`khub mcp`, start to first answer", "<= 1.6 s of CPU, 400 MB",
        lambda r: f"{r['cpu_s']} s of CPU, {r['median_s']} s of time, {r['memory_mb']} MB"
        + (", torch installed" if r["torch"] else ""),
    ),
    (
        "cpu", "process CPU of a question, the golden ones on the samples, khub-base", "<= 20 ms",
        lambda r: f"{r['cpu_ms']} ms ({r['wall_ms']} ms of time, {r['questions']} questions)",
    ),
    (
        "cpu-fast", "the same, khub-fast", "<= 12 ms",
        lambda r: f"{r['cpu_ms']} ms ({r['wall_ms']} ms of time, {r['questions']} questions)",
    ),
    (
        "throughput", "questions answered by one process, 8 threads asking, khub-fast", ">= 90 a second",
        lambda r: f"{r['questions_per_s']} a second ({r['chunks']} chunks, {r['questions']} questions, "
        f"{r['degraded']} degraded)",
    ),
)  # fmt: skip


def _costs(costs: dict[str, Any]) -> str:
    return f"{costs['cpu_s']} s of CPU, {costs['median_s']} s of time, slowest {costs['max_s']} s of {costs['runs']}"


def write_report() -> None:
    """Write the tables of what has been measured."""
    measured = json.loads(RESULTS.read_text(encoding="utf-8"))
    lines = [
        "# Foundation: what was measured",
        "",
        "`make bench` (`python -m khub.eval.bench.foundation`): each row ran in a process of its own. Ingest, and",
        "questions over 100,000 chunks, stand in [bench.md](bench.md). Machines of one kind differ by more than a half",
        "from day to day: rows of different days do not compare.",
        "",
        *_table(measured),
    ]
    for name, model in GROWTHS.items():
        if name in measured:
            lines += _growth(measured[name], model)
    RESULTS.with_suffix(".md").write_text("\n".join(lines) + "\n", encoding="utf-8")


def _table(measured: dict[str, Any]) -> list[str]:
    lines = ["| what | bar | measured | on |", "| --- | --- | --- | --- |"]
    for name, what, bar, shown in ROWS:
        if name in measured:
            row = measured[name]
            lines.append(f"| {what} | {bar} | {shown(row)} | {row['machine']}, {row['date']} |")
    return lines


def _growth(measured: dict[str, Any], model: str) -> list[str]:
    """Return the table of what a question costs in collections of several sizes, by stage."""
    rows = measured["rows"]
    names = [name for name in rows[-1]["stages_ms"] if any(row["stages_ms"].get(name, 0) >= 1 for row in rows)]
    lines = ["", f"| chunks ({model}) | CPU ms | p50 ms | {' | '.join(names)} |", "| ---: " * (3 + len(names)) + "|"]
    for row in rows:
        stages = " | ".join(str(row["stages_ms"].get(name, 0.0)) for name in names)
        lines.append(f"| {row['chunks']:,} | {row['cpu_ms']} | {row['p50_ms']} | {stages} |")
    return [*lines, "", f"On {measured['machine']}, {measured['date']}."]
