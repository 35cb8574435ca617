"""A variant of a sweep, measured."""

from typing import Any, TypedDict

from khub.eval.mean_figure import MeanFigure
from khub.eval.run.compared_metric import ComparedMetric
from khub.eval.run.latency_figure import LatencyFigure


class SweepRow(TypedDict):
    """A variant beside the graph as it stands.

    :ivar values: path of a parameter -> its value; empty for the graph as it stands.
    :ivar graph: path of its file; so `ingest`.
    :ivar figures: metric -> its figure over all questions.
    :ivar compared: metric -> what differs from the graph as it stands; empty for that itself.
    """

    label: str
    values: dict[str, Any]
    graph: str
    ingest: str
    run_id: str
    figures: dict[str, MeanFigure]
    latency: LatencyFigure | None
    compared: dict[str, ComparedMetric]
