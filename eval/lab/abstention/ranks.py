"""How well a number tells one kind of things from another."""

import numpy as np


def area_under_curve(higher: np.ndarray, lower: np.ndarray) -> float:
    """Return the share of all pairs in which the first number is greater; equal ones count half.

    It is the area under the receiver operating characteristic, and the statistic of Mann and Whitney (1947).

    :param higher: numbers that should be the greater ones, at least one.
    :param lower: numbers that should be the smaller ones, at least one.
    """
    ordered = np.sort(lower)
    below, not_above = (np.searchsorted(ordered, higher, side=side) for side in ("left", "right"))
    return float(np.mean((below + not_above) / 2) / len(lower))
