"""A metric of two graphs on the same questions."""

from typing import NotRequired, TypedDict


class ComparedMetric(TypedDict):
    """What differs in a metric, over the questions that both have a value for.

    :ivar group: `all`, or a language.
    :ivar pairs: how many such questions there are.
    :ivar difference: B minus A, with its 95 % interval from `low` to `high`.
    :ivar p: of a paired permutation test.
    :ivar better: `a` or `b` where p is small enough, else None.
    :ivar p_corrected: where many are compared: p after Holm's correction.
    """

    metric: str
    group: str
    pairs: int
    mean_a: float
    mean_b: float
    difference: float
    low: float
    high: float
    p: float
    better: str | None
    p_corrected: NotRequired[float]
