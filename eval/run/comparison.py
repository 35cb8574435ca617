"""Two graphs on the same questions: differences, with their intervals and p-values."""

import json
from collections.abc import Sequence
from pathlib import Path

from khub.components.errors import EvaluationError
from khub.components.text.nearest_name import nearest
from khub.eval.cases import LANGUAGES, Case
from khub.eval.run.compared_metric import ComparedMetric
from khub.eval.run.graph_comparison import GraphComparison
from khub.eval.run.metrics import in_order, metric
from khub.eval.statistics import bootstrap_interval, paired_p_value

REPORT = "report.json"
LEVEL = 0.05

Column = dict[str, float | None]
Columns = dict[str, Column]
"""Metric -> case id -> value."""


def compare(cases: Sequence[Case], names: tuple[str, str], a: Columns, b: Columns) -> GraphComparison:
    """Compare B with A, question by question.

    :param names: what the two are called.
    :returns: `a` and `b`, the names; `rows`: for all and for each language, per metric, `{"metric", "group", "pairs",
        "mean_a", "mean_b", "difference", "low", "high", "p", "better"}` over the questions that both have a value for,
        with the 95 % interval of the difference b - a; `better` is "a" or "b" where p < 0.05, else None.
    """
    groups = {"all": list(cases), **{name: [c for c in cases if c.language == name] for name in LANGUAGES}}
    metrics = in_order(set(a) & set(b))
    rows = [_row(name, group, members, a[name], b[name]) for group, members in groups.items() for name in metrics]
    return {"a": names[0], "b": names[1], "rows": [row for row in rows if row is not None]}


def columns_of(cases: Sequence[str], values: dict[str, list[float | None]]) -> Columns:
    """Return scores by case id."""
    return {name: dict(zip(cases, column, strict=True)) for name, column in values.items()}


def earlier_columns(name: str) -> Columns:
    """Return the scores of an earlier report.

    :param name: its `report.json` or the folder of it; with several graphs in it, `#GRAPH` behind it names one.
    :raises KhubError: when there is no such report or graph.
    """
    place, _, graph = name.partition("#")
    path = Path(place).expanduser()
    path = path / REPORT if path.is_dir() else path
    try:
        report = json.loads(path.read_text(encoding="utf-8"))
        case_ids, graphs = report["case_ids"], report["graphs"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        remedy = f"name a graph of this run, or a folder with {REPORT} (FOLDER#GRAPH)"
        raise EvaluationError(f"{name!r} cannot be compared with", remedy) from error
    wanted = graph or (next(iter(graphs)) if len(graphs) == 1 else "")
    if wanted not in graphs:
        listed = f"it has {', '.join(graphs)}: name one as {place}#GRAPH"
        raise EvaluationError(f"{path} has no graph {wanted!r}", nearest(wanted, graphs, listed) if wanted else listed)
    return columns_of(case_ids, graphs[wanted]["scores"])


def _row(name: str, group: str, cases: Sequence[Case], a: Column, b: Column) -> ComparedMetric | None:
    both = [(a.get(case.id), b.get(case.id)) for case in cases]
    pairs = [(x, y) for x, y in both if x is not None and y is not None]
    if not pairs:
        return None
    ones, others = [x for x, _ in pairs], [y for _, y in pairs]
    differences = [y - x for x, y in pairs]
    low, high = bootstrap_interval(differences)
    p = paired_p_value(ones, others)
    difference = sum(differences) / len(pairs)
    b_is_better = (difference > 0) == metric(name).higher_is_better
    better = None if p >= LEVEL or not difference else "b" if b_is_better else "a"
    return {
        "metric": name,
        "group": group,
        "pairs": len(pairs),
        "mean_a": round(sum(ones) / len(pairs), 6),
        "mean_b": round(sum(others) / len(pairs), 6),
        "difference": round(difference, 6),
        "low": round(low, 6),
        "high": round(high, 6),
        "p": round(p, 6),
        "better": better,
    }
