"""The tables of a report, as rows of text: Markdown and HTML show the same."""

from dataclasses import dataclass
from typing import Final

from khub.eval.mean_figure import MeanFigure
from khub.eval.run.compared_metric import ComparedMetric
from khub.eval.run.graph_comparison import GraphComparison
from khub.eval.run.graph_report import GraphReport
from khub.eval.run.metric_table import Group, figure_of
from khub.eval.run.metrics import in_order, is_known, metric, written
from khub.eval.run.run_report import RunReport

HEADLINE = ("hit@5", "mrr@10", "ndcg@10", "page_accuracy", "abstained_right", "abstained_wrong")


@dataclass(frozen=True)
class Table:
    """A table: the first `words` columns are words, the others numbers."""

    heads: list[str]
    rows: list[list[str]]
    words: int = 1


def about(report: RunReport) -> list[tuple[str, str]]:
    """Return what was measured on what, as pairs of a name and a value."""
    sets = ", ".join(f"{one['name']} ({one['cases']})" for one in report["sets"])
    versions = ", ".join(f"{name} {version}" for name, version in report["versions"].items())
    pairs = [
        ("run", f"{report['run_id']}, {report['started']} to {report['finished']}"),
        ("golden sets", sets),
        ("documents", f"{report['documents']['folder']} ({report['documents']['hash']})"),
        ("judged by", f"graph {report['evaluation']['graph']} ({report['evaluation']['hash']})"),
        *(("judge", one) for one in _judges(report)),
        ("citations asked for", str(report["top_k"])),
        ("machine", report["machine"]),
        ("versions", versions),
    ]
    for name, graph in report["graphs"].items():
        filled = f"filled by {graph['ingest']}" if graph["ingest"] else repr(report["collection"])
        filled = f"collection {filled}, {graph['collection']['files']} files"
        pairs.append((f"graph {name}", f"{graph['hash']}; {filled}; embedder {graph['model']}"))
    return pairs


def overall(report: RunReport) -> Table:
    """Return each metric of each graph over all questions."""
    graphs = report["graphs"]
    rows = [
        [metric_head(name), *(interval(name, figure_of(graph["metrics"], name)) for graph in graphs.values())]
        for name in _metrics(graphs)
    ]
    return Table(["metric", *graphs], rows)


def latency(report: RunReport) -> Table:
    """Return percentiles of the latency of each graph."""
    found = [(name, graph["latency"]) for name, graph in report["graphs"].items() if graph["latency"]]
    keys: Final = ("p50", "p95", "p99", "max")
    rows = [[name, *(f"{f[key]:,.1f}" for key in keys), f"{f['valid']}/{f['total']}"] for name, f in found]
    return Table(["graph", *(f"{key} ms" for key in keys), "valid/total"], rows)


def by_group(graph: GraphReport, group: Group) -> Table:
    """Return the metrics of a graph for each language, kind or set; of kinds, many, only the main ones."""
    metrics = [name for name in in_order(graph["metrics"]) if graph["metrics"][name][group]]
    members = list(dict.fromkeys(member for name in metrics for member in graph["metrics"][name][group]))
    shown = [name for name in metrics if name in HEADLINE or not is_known(name)] if group == "kind" else metrics
    if group == "kind":
        rows = [[m, *(interval(n, graph["metrics"][n][group].get(m)) for n in shown)] for m in members]
        return Table(["kind", *(metric_head(name) for name in shown)], rows)
    rows = [[metric_head(n), *(interval(n, graph["metrics"][n][group].get(m)) for m in members)] for n in shown]
    return Table(["metric", *members], rows)


def comparison(compared: GraphComparison) -> Table:
    """Return the rows of a comparison."""
    rows = [
        [
            metric_head(row["metric"]),
            row["group"],
            str(row["pairs"]),
            written(row["metric"], row["mean_a"]),
            written(row["metric"], row["mean_b"]),
            difference(row["metric"], row),
            p_value(row["p"]),
            {"a": "A", "b": "B"}.get(row["better"] or "", "–"),
        ]
        for row in compared["rows"]
    ]
    return Table(["metric", "questions", "pairs", "A", "B", "B − A (95 %)", "p", "better"], rows, 2)


def not_measured(graph: GraphReport) -> Table:
    """Return why values are missing: metric, reason, number of cases."""
    counts: dict[tuple[str, str], int] = {}
    for failure in graph["failed"]:
        key = (failure["metric"], failure["reason"])
        counts[key] = counts.get(key, 0) + 1
    return Table(["metric", "reason", "cases"], [[m, reason, str(n)] for (m, reason), n in counts.items()], 2)


def interval(name: str, figure: MeanFigure | None) -> str:
    """Return `0.931 (0.902–0.958) 212/216`."""
    if figure is None or not figure["total"]:
        return "–"
    if figure["mean"] is None:
        return f"– {figure['valid']}/{figure['total']}"
    mean, low, high = (written(name, figure[key]) for key in ("mean", "low", "high"))
    return f"{mean} ({low}–{high}) {figure['valid']}/{figure['total']}"


def _judges(report: RunReport) -> list[str]:
    said = [
        f"{judge['name']}, by {judge['library']}: {', '.join(judge['metrics'])}"
        for graph in report["graphs"].values()
        for judge in graph["judges"]
    ]
    return list(dict.fromkeys(said))


def difference(name: str, row: ComparedMetric) -> str:
    """Return `+0.012 (−0.003 to +0.027)`, the difference of a comparison's row with its interval."""
    apart, low, high = (signed(name, row[key]) for key in ("difference", "low", "high"))
    return f"{apart} ({low} to {high})"


def p_value(value: float) -> str:
    """Return a p-value with four decimals."""
    return "< 0.0001" if value < 0.0001 else f"{value:.4f}"


def signed(name: str, value: float) -> str:
    """Return a difference of a metric with its sign."""
    text = written(name, abs(value))
    return f"{'−' if value < 0 and float(text.replace(',', '')) else '+'}{text}"


def _metrics(graphs: dict[str, GraphReport]) -> list[str]:
    return in_order({name for graph in graphs.values() for name in graph["metrics"]})


def metric_head(name: str) -> str:
    """Return a metric's name with an arrow to where it is better."""
    return f"{name} {'↑' if metric(name).higher_is_better else '↓'}"
