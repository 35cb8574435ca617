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


TORTURES: tuple[Row, ...] = (
    (
        "stale_reader", "stale reader: an open query service while another process ingests, changes, deletes",
        "every query sees all of it, 100 of 100 rounds; memory, descriptors, threads flat",
        lambda r: f"{r['rounds']} rounds, {r['queries']} queries, {len(r['wrong'])} wrong; "
        f"{', '.join(f'{c} {a} -> {b}' for c, a, b in zip(r['columns'], r['early'], r['late'], strict=True))}",
    ),
    (
        "two_writers", "two writers by turns and at the same time, 40 rounds",
        "every chunk found by its own vector (top 10) and its own words; doctor clean",
        lambda r: f"{r['chunks']} chunks, {r['searched_by_vector']} searched by vector, {r['lost_by_words']} lost by "
        f"words, {len(r['problems'])} problems",
    ),
    (
        "readers_beside_writer", "3 readers that query all the time beside 1 writer, 5 minutes", "0 crashes, 0 errors",
        lambda r: f"{r['seconds']:.0f} s, {r['queries']} queries, {r['writes']} writes, {len(r['errors'])} errors, "
        f"{r['degraded']} degraded, slowest {r['slowest_ms']:.0f} ms",
    ),
    (
        "kill_writer", "`kill -9` at 50 random moments of an ingest of 40 files, with queries in between",
        "every query answers; no ghost, no half document; end state identical to an undisturbed run",
        lambda r: f"{r['kills']} kills ({r['in_a_batch']} inside a batch), {r['queries']} queries, "
        f"{r['degraded']} degraded, {len(r['wrong'])} wrong",
    ),
    (
        "damage", "any index file cut short or overwritten",
        "the query answers from the other leg and says so; `doctor --repair` restores all",
        lambda r: f"{r['damages']} damages, {len(r['wrong'])} wrong",
    ),
)  # fmt: skip


def write_report() -> None:
    """Write the tables of what has been measured."""
    measured = json.loads(RESULTS.read_text(encoding="utf-8"))
    lines = [
        "# Foundation: what was measured",
        "",
        "## Speed and memory",
        "",
        "`make bench` (`python -m eval.bench.foundation`): generated text with Zipf word frequencies, chunks of",
        "800 characters, overlap 150; each row ran in a process of its own.",
        "",
        *_table(ROWS, measured),
    ]
    if "query" in measured:
        stages = ", ".join(f"{stage} {ms}" for stage, ms in measured["query"]["stages_p50_ms"].items())
        lines += ["", f"Stages of a query, p50 in ms: {stages}."]
    lines += ["", "## Torture", "", "`make soak` (`python -m eval.bench.torture`).", "", *_table(TORTURES, measured)]
    RESULTS.with_suffix(".md").write_text("\n".join(lines) + "\n", encoding="utf-8")


def _table(rows: tuple[Row, ...], measured: dict[str, Any]) -> list[str]:
    lines = ["| what | bar | measured | on |", "| --- | --- | --- | --- |"]
    for name, what, bar, shown in rows:
        if name in measured:
            row = measured[name]
            lines.append(f"| {what} | {bar} | {shown(row)} | {row['machine']}, {row['date']} |")
    return lines
