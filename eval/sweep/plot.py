"""The plot of a sweep."""

import math

from khub.eval.mean_figure import MeanFigure
from khub.eval.run import svg
from khub.eval.run.metrics import metric
from khub.eval.sweep.sweep_report import SweepReport

RIGHT, TOP, ROW = 690, 44, 22
CHARACTER, WIDEST = 6.4, 380
STYLE = "<style>text{font:12px sans-serif;fill:#222}</style>"
BASE, OTHER = 1, 0
"""Numbers of the series' colours and marks."""


def plot(report: SweepReport) -> str:
    """Draw the metric of each variant with its interval, and a line where the graph as it stands is."""
    name = report["metric"]
    rows = [(row, row["figures"][name]) for row in report["rows"]]
    drawn = [figure for _, figure in rows if figure["mean"] is not None]
    left = min(WIDEST, 30 + CHARACTER * max(len(row["label"]) for row, _ in rows))
    bottom = TOP + ROW * len(rows)
    x = svg.Scale(*_bounds(name, drawn), left, RIGHT)
    title = f"{name} with 95 % intervals; dashed: the graph as it stands"
    parts = [STYLE, f'<rect width="{svg.WIDTH}" height="{bottom + 30}" fill="#fff"/>', svg.text(10, 20, title)]
    for tick in range(5):
        value = x.low + (x.high - x.low) * tick / 4
        parts.append(svg.line(x(value), TOP - 8, x(value), bottom, "#e4e4e4"))
        parts.append(svg.text(x(value), bottom + 18, f"{value:.4g}", "middle"))
    base = rows[0][1]["mean"]
    if base is not None:
        parts.append(svg.line(x(base), TOP - 8, x(base), bottom, svg.colour_of(BASE), 1.2, "5 4"))
    for place, (row, figure) in enumerate(rows):
        y = TOP + ROW * place + ROW / 2
        parts.append(svg.text(left - 12, y + 4, _short(row["label"], left), "end"))
        if figure["mean"] is not None:
            series = OTHER if row["values"] else BASE
            parts.append(svg.line(x(figure["low"] or 0.0), y, x(figure["high"] or 0.0), y, svg.colour_of(series), 2.5))
            parts.append(svg.marker(x(figure["mean"]), y, series))
    return svg.drawing(bottom + 30, parts, f"{name} of {len(rows)} variants")


def _bounds(name: str, figures: list[MeanFigure]) -> tuple[float, float]:
    if not figures:
        return 0.0, 1.0
    low, high = min(figure["low"] or 0.0 for figure in figures), max(figure["high"] or 0.0 for figure in figures)
    if metric(name).milliseconds:
        return 0.0, high * 1.05 or 1.0
    # to the next twentieth, so that small differences are seen
    low, high = math.floor(low * 20 - 1e-9) / 20, math.ceil(high * 20 + 1e-9) / 20
    return max(0.0, low), min(1.0, high)


def _short(label: str, left: float) -> str:
    room = int((left - 24) / CHARACTER)
    return label if len(label) <= room else f"{label[: room - 1]}…"
