"""What changes with a variant of a graph."""

from typing import TypedDict

from khub.eval.mean_figure import MeanFigure


class DifferenceFigure(MeanFigure):
    """The mean of the differences on a set, with `p` of a paired permutation test."""

    p: float


class MeanDifference(TypedDict):
    """The mean over the sets, each counting alike; None where nothing could be measured.

    :ivar sets: how many.
    """

    mean: float | None
    p: float
    sets: int
