"""The plots of a report."""

import math
from collections.abc import Sequence

from khub.eval.mean_figure import MeanFigure
from khub.eval.run import svg
from khub.eval.run.figures import LATENCY
from khub.eval.run.graph_report import GraphReport
from khub.eval.run.history_line import HistoryLine
from khub.eval.run.metric_table import Group, figure_of, group_of
from khub.eval.run.metrics import in_order, metric
from khub.eval.run.tables import HEADLINE

LEFT, RIGHT, ROW = 150, 690, 16
FOLLOWED = ("hit@5", "mrr@10", "ndcg@10")


def means(graphs: dict[str, GraphReport]) -> str:
    """Draw every share over all questions, with its interval."""
    names = [n for n in in_order({n for g in graphs.values() for n in g["metrics"]}) if not metric(n).milliseconds]
    rows = [(name, [figure_of(graph["metrics"], name) for graph in graphs.values()]) for name in names]
    return _intervals(rows, list(graphs), "All metrics over all questions, with 95 % intervals")


def groups(graphs: dict[str, GraphReport], group: Group, name: str) -> str:
    """Draw one metric for each language, kind or set, with its intervals."""
    tables = [group_of(graph["metrics"], name, group) for graph in graphs.values()]
    members = list(dict.fromkeys(member for table in tables for member in table))
    rows = [(member, [table.get(member) for table in tables]) for member in members]
    return _intervals(rows, list(graphs), f"{name} by {group}, with 95 % intervals") if rows else ""


def grouped_metrics(graphs: dict[str, GraphReport], group: Group) -> list[str]:
    """Return the metrics of which a plot by this group is worth its place."""
    return [name for name in HEADLINE if any(group_of(g["metrics"], name, group) for g in graphs.values())]


def latencies(graphs: dict[str, GraphReport]) -> str:
    """Draw which share of the questions was answered within which time (the empirical distribution)."""
    series = {
        name: sorted(value for value in graph["scores"].get(LATENCY, []) if value is not None)
        for name, graph in graphs.items()
    }
    every = [value for values in series.values() for value in values]
    if not every:
        return ""
    low, high = math.log10(max(min(every), 0.01)), math.log10(max(*every, 0.02))
    low, high = math.floor(low * 5) / 5, math.ceil(high * 5 + 1e-9) / 5
    x, y = svg.Scale(low, high, 60, RIGHT), svg.Scale(0, 1, 240, 20)
    parts = [*_share_axis(y), *_time_axis(x, low, high)]
    for number, values in enumerate(series.values()):
        steps = [(x(low), y(0))]
        for done, value in enumerate(values, start=1):
            place = x(math.log10(max(value, 0.01)))
            steps += [(place, steps[-1][1]), (place, y(done / len(values)))]
        parts.append(svg.path(steps, svg.colour_of(number), "" if number % 2 == 0 else "6 3"))
        if values:
            middle = values[len(values) // 2]
            parts.append(svg.marker(x(math.log10(max(middle, 0.01))), y(0.5), number))
    parts += [svg.text(RIGHT, 274, "milliseconds (log)", "end"), *svg.legend(list(series), 296, 60)]
    return svg.drawing(306 + len(series) // 4 * 18, parts, "Share of questions answered within a time")


def over_time(history: Sequence[HistoryLine], graph: str, sets: dict[str, int]) -> str:
    """Draw the main metrics of a graph over the runs on the same sets; nothing where there are fewer than two."""
    runs = [row for row in history if row["graph"] == graph and row["sets"] == sets]
    if len(runs) < 2:
        return ""
    found = {name: [row["figures"].get(name) for row in runs] for name in FOLLOWED}
    values = {name: [one["mean"] if one else None for one in column] for name, column in found.items()}
    x, y = svg.Scale(0, len(runs) - 1, 60, RIGHT), svg.Scale(0, 1, 200, 20)
    parts = _share_axis(y)
    for number, column in enumerate(values.values()):
        points = [(x(place), y(value)) for place, value in enumerate(column) if value is not None]
        parts += [svg.path(points, svg.colour_of(number)), *(svg.marker(px, py, number) for px, py in points)]
    first, last = (str(runs[place]["finished"])[:10] for place in (0, -1))
    parts += [svg.text(60, 218, first), svg.text(RIGHT, 218, last, "end"), *svg.legend(list(values), 240, 60)]
    return svg.drawing(250, parts, f"{graph} over {len(runs)} runs")


def _intervals(rows: Sequence[tuple[str, Sequence[MeanFigure | None]]], names: Sequence[str], title: str) -> str:
    step = ROW * max(1, len(names)) + 10
    bottom = 12 + step * len(rows)
    x = svg.Scale(0, 1, LEFT, RIGHT)
    parts = [svg.line(x(tick / 10), 8, x(tick / 10), bottom, "#e4e4e4") for tick in range(11)]
    parts += [svg.text(x(tick / 10), bottom + 16, f"{tick / 10:.1f}", "middle") for tick in range(0, 11, 2)]
    for place, (label, cells) in enumerate(rows):
        top = 12 + place * step
        parts.append(svg.text(LEFT - 10, top + step / 2, label, "end"))
        for number, figure in enumerate(cells):
            if figure and figure["mean"] is not None:
                y = top + 8 + number * ROW
                parts.append(
                    svg.line(x(figure["low"] or 0.0), y, x(figure["high"] or 0.0), y, svg.colour_of(number), 2.5)
                )
                parts.append(svg.marker(x(figure["mean"]), y, number))
    if len(names) > 1:
        parts += svg.legend(names, bottom + 38, LEFT)
    return svg.drawing(bottom + (46 + (len(names) - 1) // 3 * 18 if len(names) > 1 else 22), parts, title)


def _share_axis(y: svg.Scale) -> list[str]:
    parts = []
    for tick in range(0, 11, 2):
        parts += [
            svg.line(60, y(tick / 10), RIGHT, y(tick / 10), "#e4e4e4"),
            svg.text(52, y(tick / 10) + 4, f"{tick / 10:.1f}", "end"),
        ]
    return parts


def _time_axis(x: svg.Scale, low: float, high: float) -> list[str]:
    parts = []
    for exponent in range(math.floor(low), math.ceil(high) + 1):
        for factor in (1, 2, 5):
            place = math.log10(factor) + exponent
            if low - 1e-9 <= place <= high + 1e-9:
                parts.append(svg.line(x(place), 20, x(place), 240, "#e4e4e4"))
                parts.append(svg.text(x(place), 256, f"{factor * 10**exponent:g}", "middle"))
    return parts
