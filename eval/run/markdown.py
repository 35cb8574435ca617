"""`report.md`."""

from collections.abc import Iterator

from khub.eval.place_name import PlaceName
from khub.eval.run import tables
from khub.eval.run.graph_report import GraphReport
from khub.eval.run.metric_table import Group
from khub.eval.run.run_report import RunReport
from khub.eval.run.tables import Table
from khub.eval.run.worst_question import WorstQuestion

WORST = 3  # of each problem: a comment on a pull request holds 65,536 characters
NOTE = (
    "Means with 95 % bootstrap intervals, then valid/total: the values in the mean, and the cases that the metric is "
    "about. ↑ more is better, ↓ less is. hit, recall, mrr and ndcg are about answerable questions, and an answer that "
    "abstains has found nothing."
)
COMPARISON_NOTE = (
    "Paired by question; p by a two-sided sign-flip permutation test, for each row alone (with many rows, some fall "
    "below 0.05 by chance). `better` names the one that is ahead with p < 0.05."
)


def markdown(report: RunReport) -> str:
    """Return the report in Markdown."""
    return "\n\n".join(_parts(report)) + "\n"


def table_text(table: Table) -> str:
    """Return a table in Markdown."""
    if not table.rows:
        return "Nothing."
    rule = ["---"] * table.words + ["---:"] * (len(table.heads) - table.words)
    return "\n".join(f"| {' | '.join(map(_cell, row))} |" for row in [table.heads, rule, *table.rows])


def _parts(report: RunReport) -> Iterator[str]:
    yield "# Evaluation"
    yield NOTE
    yield table_text(tables.overall(report))
    yield "## Latency"
    yield table_text(tables.latency(report))
    for compared in report["comparisons"]:
        yield f"## Compared: A = {_cell(compared['a'])}, B = {_cell(compared['b'])}"
        yield COMPARISON_NOTE
        yield table_text(tables.comparison(compared))
    for name, graph in report["graphs"].items():
        yield from _graph(name, graph, len(report["sets"]))
    yield "## What was measured"
    yield "\n".join(f"- {name}: {_cell(value)}" for name, value in tables.about(report))


def _graph(name: str, graph: GraphReport, sets: int) -> Iterator[str]:
    yield f"## {_cell(name)}"
    groups: tuple[Group, ...] = ("language", "kind", "set") if sets > 1 else ("language", "kind")
    for group in groups:
        yield f"### By {group}"
        yield table_text(tables.by_group(graph, group))
    if graph["failed"]:
        yield "### Not measured"
        yield table_text(tables.not_measured(graph))
    if graph["collection"]["failed"]:
        yield "### Documents that could not be read"
        yield "\n".join(f"- {_cell(f['source'])}: {_cell(f['error'])}" for f in graph["collection"]["failed"])
    yield "### Worst questions"
    yield "Of all questions: " + (", ".join(f"{n} {problem}" for problem, n in graph["problems"].items()) or "none.")
    for problem in graph["problems"]:
        yield from [_question(row) for row in graph["worst"] if row["problem"] == problem][:WORST]


def _question(row: WorstQuestion) -> str:
    lines = [f"- **{_cell(row['question'])}** ({row['case_id']}, {row['language']}, {row['kind']}): {row['problem']}"]
    if row["error"]:
        lines.append(f"  - error: {_cell(row['error'])}")
    if row["answer"]:
        lines.append(f"  - answer: {_cell(row['answer'])}")
    lines += [f"  - stands in {_place(at)}: {_cell(at['evidence']) or 'no quote'}" for at in row["relevant"]]
    for number, found in enumerate(row["found"], start=1):
        lines.append(f"  - found {number}: {_place(found)}: {_cell(found['text'])}")
    return "\n".join(lines)


def _place(place: PlaceName) -> str:
    return f"`{place['source']}`" + (f" p. {place['page']}" if place["page"] else "")


def _cell(text: str) -> str:
    """Keep retrieved text from becoming Markdown: no line breaks, no table bars, no tags, no links."""
    flat = " ".join(text.split())
    for character in "\\`*[]<>|":
        flat = flat.replace(character, f"\\{character}")
    return flat
