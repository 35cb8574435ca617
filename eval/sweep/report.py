"""The report of a sweep: tables, a plot, and the winner as a change of the graph's file."""

import difflib
import json
from collections.abc import Iterator
from pathlib import Path

from khub.eval.run.files import write_file
from khub.eval.run.markdown import table_text
from khub.eval.run.tables import HEADLINE, Table, difference, interval, metric_head, p_value, signed
from khub.eval.sweep.plot import plot
from khub.eval.sweep.sweep import LEVEL
from khub.eval.sweep.sweep_report import SweepReport
from khub.eval.sweep.sweep_row import SweepRow
from khub.server.graphs.load import shown_path, written_out

JSON, MARKDOWN, PLOT, DIFF = "sweep.json", "sweep.md", "sweep.svg", "winner.diff"
NOTE = (
    "Means with 95 % bootstrap intervals, then valid/total. Each variant is compared with the graph as it stands, "
    "paired by question: difference with its 95 % interval, p by a two-sided sign-flip permutation test, and p after "
    "Holm's correction for the number of variants. The winner was chosen on these very questions: before it is "
    "trusted, measure it on others."
)


def write_sweep(folder: Path, report: SweepReport) -> list[Path]:
    """Write `sweep.json`, `sweep.md`, `sweep.svg` and, where a variant wins, `winner.diff`.

    :param folder: where they go; it is made. A `winner.diff` of an earlier sweep in it is taken away.
    :returns: the files that were written.
    """
    diff = winner_diff(report)
    (folder / DIFF).unlink(missing_ok=True)
    texts = {
        JSON: json.dumps({**report, "diff": diff}, ensure_ascii=False, indent=1, default=str) + "\n",
        MARKDOWN: markdown(report, diff),
        PLOT: plot(report) + "\n",
        **({DIFF: diff} if diff else {}),
    }
    for name, text in texts.items():
        write_file(folder / name, text)
    return [folder / name for name in texts]


def markdown(report: SweepReport, diff: str) -> str:
    """Return the whole report in Markdown."""
    return "\n\n".join(_parts(report, diff)) + "\n"


def main_table(report: SweepReport) -> Table:
    """Return the metric that decides, for each variant."""
    name = report["metric"]
    heads = ["variant", metric_head(name), "difference (95 %)", "p", "p corrected", "p50 ms"]
    return Table(
        heads, [[r["label"], interval(name, r["figures"][name]), *_against(r, name), _p50(r)] for r in report["rows"]]
    )


def other_table(report: SweepReport) -> Table:
    """Return the other main metrics, for each variant, with p where it differs from the graph as it stands."""
    names = [n for n in HEADLINE if n != report["metric"] and any(n in row["figures"] for row in report["rows"])]
    rows = [[row["label"], *(_cell(row, name) for name in names)] for row in report["rows"]]
    return Table(["variant", *map(metric_head, names)], rows)


def verdict(report: SweepReport) -> str:
    """Return in a sentence which variant is best, and how sure that is."""
    name = report["metric"]
    winner = next(row for row in report["rows"] if row["label"] == report["winner"])
    if not winner["values"]:
        return f"No variant has a better {name} than the graph as it stands."
    compared = winner["compared"][name]
    sure = "more than chance" if compared["p_corrected"] < LEVEL else "which may be chance"
    p, corrected = (p_value(compared[key]) for key in ("p", "p_corrected"))
    change = f"{signed(name, compared['difference'])}, p {p}, corrected {corrected}"
    return f"Best {name}: {winner['label']} ({change}: {sure})."


def winner_diff(report: SweepReport) -> str:
    """Return what the winner changes in the files of the graphs as a unified diff; nothing where they stay."""
    winner = next(row for row in report["rows"] if row["label"] == report["winner"])
    base = report["rows"][0]
    pairs = [(base["graph"], winner["graph"])]
    if Path(winner["ingest"]).name == Path(base["ingest"]).name:  # else another graph of the folder, which stays, too
        pairs.append((base["ingest"], winner["ingest"]))
    return "".join(_diff(Path(old), Path(new)) for old, new in pairs)


def _diff(old: Path, new: Path) -> str:
    before, after = (_lines(written_out(path)) for path in (old, new))
    shown = shown_path(old)
    names = (shown, shown) if Path(shown).is_absolute() else (f"a/{shown}", f"b/{shown}")
    return "".join(difflib.unified_diff(before, after, *names))


def _lines(text: str) -> list[str]:
    return [f"{line}\n" for line in text.split("\n")[: None if not text.endswith("\n") else -1]]


def _parts(report: SweepReport, diff: str) -> Iterator[str]:
    yield f"# Sweep of {report['graph']}"
    yield NOTE
    yield verdict(report)
    yield table_text(main_table(report))
    yield f"![{report['metric']} of each variant]({PLOT})"
    yield "## Other metrics"
    yield table_text(other_table(report))
    if diff:
        yield "## The winner"
        yield f"```diff\n{diff}```"
    sets = ", ".join(f"{one['name']} ({one['cases']})" for one in report["sets"])
    documents = f"{report['documents']['folder']} ({report['documents']['hash']})"
    runs = ", ".join(dict.fromkeys(row["run_id"] for row in report["rows"]))
    yield "## What was measured"
    yield "\n".join(
        [
            f"- golden sets: {sets}",
            f"- documents: {documents}",
            f"- ingest graph as it stands: {report['ingest']}",
            f"- citations asked for: {report['top_k']}",
            f"- runs: {runs}",
            f"- machine: {report['machine']}",
        ]
    )


def _against(row: SweepRow, name: str) -> list[str]:
    compared = row["compared"].get(name)
    if not compared:
        return ["–", "–", "–"]
    return [difference(name, compared), p_value(compared["p"]), p_value(compared["p_corrected"])]


def _cell(row: SweepRow, name: str) -> str:
    compared = row["compared"].get(name)
    differs = f", p {p_value(compared['p'])}" if compared and compared["difference"] else ""
    return interval(name, row["figures"].get(name)) + differs


def _p50(row: SweepRow) -> str:
    return f"{row['latency']['p50']:,.1f}" if row["latency"] else "–"
