"""The table of an ablation in Markdown."""

from collections.abc import Mapping, Sequence
from typing import Any

from khub.eval.retrieve.figures import NOTHING, markdown_table
from khub.eval.run.tables import Table

LEVEL = 0.05
LABELS = {"ndcg@10": "nDCG@10", "hit@10": "hit@10"}
NOTES = f"""\
The first row holds the figures of the graph as it stands, in percent; every other row **what changes with it**, in
points: below zero, the graph is better as it stands. Bold is p < {LEVEL} of a paired permutation test over the
questions; of twenty comparisons where nothing differs, one is bold by chance. *Mean* counts every set alike. nDCG@10
and hit@10 are those of the ranking that reaches the answer, as `khub eval retrieve` and `khub eval pages` measure it;
*(named)* is asked within the documents that hold the evidence. Questions that failed in either of two graphs are left
out of their comparison. *CPU* is that of the whole process (all threads) in milliseconds per question, warm and asked
in turns, then what changes. The second row is a copy of the same graph: a change of CPU that is not well beyond its own
is none. What the graphs remember of a text is shared by all rows, so that a stage may cost more by itself."""


def markdown(report: Mapping[str, Any]) -> str:
    """Return the report as Markdown, with the one table on top of everything else."""
    drawn = "" if report["sample"] is None else f", at most {report['sample']} per set (seed {report['seed']})"
    table = table_of(report)
    parts = [
        f"# Ablation of {report['graph']}",
        f"`{report['command']}`",
        f"{report['machine']}, {report['date']}{drawn}.",
        markdown_table(table.heads, table.words, table.rows),
        NOTES,
        "## Sets",
        _sets(report["sets"]),
        *_failures(report["rows"]),
    ]
    return "\n\n".join(parts) + "\n"


def table_of(report: Mapping[str, Any]) -> Table:
    """Return a row for each change of the graph, what is no chance in bold."""
    names = [one["name"] for one in report["sets"]]
    heads = ["graph", "remarks", *names, "mean", "CPU ms", "± CPU", "failed", "degraded"]
    first, *others = report["rows"]
    return Table(heads, [_first(names, first), *(_cells(names, row) for row in others)], 2)


def _first(names: Sequence[str], row: Mapping[str, Any]) -> list[str]:
    means = [row["sets"][name]["figures"]["mean"] if name in row["sets"] else None for name in names]
    known = [mean for mean in means if mean is not None]
    own = [NOTHING if mean is None else f"{100 * mean:.1f}" for mean in means]
    mean = f"{100 * sum(known) / len(known):.1f}" if known else NOTHING
    return [row["label"], "; ".join(row["remarks"]), *own, mean, _ms(row["cpu_ms"]["mean"]), "", *_trouble(row)]


def _cells(names: Sequence[str], row: Mapping[str, Any]) -> list[str]:
    if "refused" in row:
        return [row["label"], f"not measured: {row['refused']}", *[NOTHING] * (len(names) + 5)]
    own = [_points(row["sets"][name]["difference"] if name in row["sets"] else None) for name in names]
    apart = row["cpu_difference"]["mean"]
    cpu = NOTHING if apart is None else f"{apart:+.1f}"
    remarks = "; ".join(row["remarks"])
    return [row["label"], remarks, *own, _points(row["mean"]), _ms(row["cpu_ms"]["mean"]), cpu, *_trouble(row)]


def _points(value: Mapping[str, Any] | None) -> str:
    if value is None or value["mean"] is None:
        return NOTHING
    shown = f"{100 * value['mean'] + 0.0:+.2f}"
    return f"**{shown}**" if value["p"] < LEVEL else shown


def _ms(value: float | None) -> str:
    return NOTHING if value is None else f"{value:.1f}"


def _trouble(row: Mapping[str, Any]) -> list[str]:
    return [f"{row['failed']:,}", f"{row['degraded']:,}"]


def _sets(sets: Sequence[Mapping[str, Any]]) -> str:
    rows = []
    for one in sets:
        files = ", ".join(f"{made['ingest']}: {made['files']:,}" for made in one["collections"])
        failed = ", ".join(f"{len(made['failed']):,}" for made in one["collections"])
        rows.append([one["name"], LABELS[one["metric"]], f"{one['questions']:,}", files, failed])
    return markdown_table(["set", "metric", "questions", "documents", "of them failed"], 2, rows)


def _failures(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return what went wrong, once for each row, set and reason."""
    lines = []
    for row in rows:
        for name, one in row.get("sets", {}).items():
            reasons = list(dict.fromkeys(failed["error"] for failed in one["failed"]))
            lines += [f"- {row['label']}, {name}: failed: {reason}" for reason in reasons[:3]]
            lines += [f"- {row['label']}, {name}: {stage} degraded {n}×" for stage, n in one["degraded_stages"].items()]
    return ["## What went wrong", "\n".join(lines)] if lines else []
