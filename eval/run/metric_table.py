"""A metric over all questions, and over groups of them."""

from collections.abc import Mapping
from typing import Literal, TypedDict

from khub.eval.mean_figure import MeanFigure

Group = Literal["language", "kind", "set"]
"""What the questions of a run are grouped by."""


class MetricTable(TypedDict):
    """The figures of a metric: of all questions, and of each language, kind and golden set by its name."""

    all: MeanFigure
    language: dict[str, MeanFigure]
    kind: dict[str, MeanFigure]
    set: dict[str, MeanFigure]


def figure_of(metrics: Mapping[str, MetricTable], name: str) -> MeanFigure | None:
    """Return a metric over all questions; None where there is none of the name."""
    table = metrics.get(name)
    return table["all"] if table else None


def group_of(metrics: Mapping[str, MetricTable], name: str, group: Group) -> dict[str, MeanFigure]:
    """Return a metric for each member of a group; none where there is no metric of the name."""
    table = metrics.get(name)
    return table.get(group, {}) if table else {}
