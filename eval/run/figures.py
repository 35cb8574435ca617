"""From one value per question to means with intervals and denominators, for all questions and for groups of them."""

from collections.abc import Callable, Sequence

from khub.eval.cases import KINDS, LANGUAGES, Case
from khub.eval.figures import percentile
from khub.eval.mean_figure import MeanFigure
from khub.eval.run.graph_report import GraphFigures
from khub.eval.run.latency_figure import LatencyFigure
from khub.eval.run.metric_table import MetricTable
from khub.eval.run.metrics import in_order, metric
from khub.eval.run.scoring import Scores
from khub.eval.statistics import bootstrap_interval

LATENCY = "latency_ms"
PERCENTS = (50, 95, 99)


def figures(cases: Sequence[Case], set_of: dict[str, str], scores: Scores) -> GraphFigures:
    """Return the figures of one graph.

    :param set_of: case id -> name of its golden set.
    :returns: `metrics`: metric -> `{"all": figure, "language": {name: figure}, "kind": …, "set": …}`, where a figure is
        `{"mean", "low", "high", "valid", "total"}`: a mean with its 95 % interval (None where nothing could be
        measured), the number of values in it, and of the cases that the metric is about. `latency`: `{"p50", "p95",
        "p99", "max", "valid", "total"}` in milliseconds; None where no question was answered. `failed`: as in `Scores`.
    """
    groups: dict[str, tuple[Sequence[str], Callable[[Case], str]]] = {
        "language": (LANGUAGES, lambda case: case.language),
        "kind": (KINDS, lambda case: case.kind),
        "set": (list(dict.fromkeys(set_of.values())), lambda case: set_of[case.id]),
    }
    table: dict[str, MetricTable] = {}
    for name in in_order(scores.values):
        missing = {failure["case_id"] for failure in scores.failed if failure["metric"] == name}
        rows = [
            (case, value, value is not None or case.id in missing or metric(name).population(case))
            for case, value in zip(cases, scores.values[name], strict=True)
        ]
        of: dict[str, dict[str, MeanFigure]] = {}
        for group, (members, member_of) in groups.items():
            found = {member: _figure([row for row in rows if member_of(row[0]) == member]) for member in members}
            of[group] = {member: figure for member, figure in found.items() if figure["total"]}
        table[name] = {"all": _figure(rows), "language": of["language"], "kind": of["kind"], "set": of["set"]}
    return {"metrics": table, "latency": _latency(scores, len(cases)), "failed": scores.failed}


def _figure(rows: Sequence[tuple[Case, float | None, bool]]) -> MeanFigure:
    """Return the figure of cases with their values, and whether the metric is about them."""
    values = [value for _, value, _ in rows if value is not None]
    total = sum(is_about for _, _, is_about in rows)
    if not values:
        return {"mean": None, "low": None, "high": None, "valid": 0, "total": total}
    low, high = bootstrap_interval(values)
    mean = sum(values) / len(values)
    return {"mean": _rounded(mean), "low": _rounded(low), "high": _rounded(high), "valid": len(values), "total": total}


def _latency(scores: Scores, total: int) -> LatencyFigure | None:
    values = [value for value in scores.values.get(LATENCY, []) if value is not None]
    if not values:
        return None
    p50, p95, p99 = (_rounded(percentile(values, percent)) for percent in PERCENTS)
    return {"p50": p50, "p95": p95, "p99": p99, "max": _rounded(max(values)), "valid": len(values), "total": total}


def _rounded(value: float) -> float:
    return round(value, 6)
