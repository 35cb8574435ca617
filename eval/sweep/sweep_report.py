"""What a sweep measured."""

from typing import Any, TypedDict

from khub.eval.run.run_report import SetAbout
from khub.eval.sweep.sweep_row import SweepRow


class SweepReport(TypedDict):
    """The variants of a graph on the same questions.

    :ivar documents: `folder` and `hash`.
    :ivar evaluation: the judging `graph` and its `hash`.
    :ivar settings: path of a parameter -> the values that were tried.
    :ivar metric: what the winner is best at.
    :ivar rows: the graph as it stands, then the variants.
    :ivar winner: label of the best row.
    """

    sets: list[SetAbout]
    documents: dict[str, str]
    evaluation: dict[str, str]
    top_k: int
    versions: dict[str, str]
    machine: str
    graph: str
    ingest: str
    settings: dict[str, list[Any]]
    metric: str
    rows: list[SweepRow]
    winner: str
