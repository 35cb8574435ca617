"""A mean with its interval."""

from typing import TypedDict


class MeanFigure(TypedDict):
    """A figure of several questions.

    :ivar mean: None where nothing could be measured; so `low` and `high`, its 95 % interval.
    :ivar valid: how many values are in it.
    :ivar total: of how many questions that it is about.
    """

    mean: float | None
    low: float | None
    high: float | None
    valid: int
    total: int
