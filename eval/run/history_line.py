"""A line of `history.jsonl`."""

from typing import TypedDict

from khub.eval.mean_figure import MeanFigure
from khub.eval.run.latency_figure import LatencyFigure


class HistoryLine(TypedDict):
    """The figures of a graph in a run.

    :ivar ingest: name of the ingest graph; empty where the collection was there.
    :ivar sets: name of a golden set -> its cases.
    :ivar figures: metric -> its figure over all questions.
    """

    run_id: str
    finished: str | None
    graph: str
    graph_hash: str
    ingest: str
    model: str
    sets: dict[str, int]
    documents_hash: str
    machine: str
    figures: dict[str, MeanFigure]
    latency: LatencyFigure | None
