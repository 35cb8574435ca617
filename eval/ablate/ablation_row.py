"""A row of an ablation."""

from typing import TypedDict, final

from khub.eval.ablate.difference_figure import DifferenceFigure, MeanDifference
from khub.eval.mean_figure import MeanFigure
from khub.eval.retrieve.asking_figures import AskingFigures


class AblatedSet(AskingFigures):
    """What a variant does on a set.

    :ivar degraded_stages: stage -> number of questions.
    """

    figures: MeanFigure
    difference: DifferenceFigure
    degraded_stages: dict[str, int]


@final
class RefusedRow(TypedDict):
    """A change that could not be made, and why."""

    label: str
    refused: str


@final
class AblationRow(TypedDict):
    """A variant of a graph; figures from 0 to 1, CPU in milliseconds per question.

    :ivar graph: path of its file.
    :ivar legs: by which it is asked; None for all.
    :ivar sets: task -> what it does there.
    """

    label: str
    graph: str
    graph_hash: str
    ingest: str
    legs: list[str] | None
    remarks: list[str]
    sets: dict[str, AblatedSet]
    mean: MeanDifference
    cpu_ms: MeanFigure
    cpu_median_ms: float | None
    cpu_difference: DifferenceFigure
    failed: int
    degraded: int
