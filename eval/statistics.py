"""How sure a mean over questions is, and whether two means differ by more than chance."""

import math
from collections.abc import Sequence

import numpy as np

from khub.components.errors import EvaluationError

EXACT_UP_TO = 16
"""So many differing pairs have 65,536 ways to flip their signs: all are looked at."""
FLIPS = 20_000
CELLS = 2_000_000
"""Numbers held at a time."""


def bootstrap_interval(
    values: Sequence[float], level: float = 0.95, resamples: int = 2000, seed: int = 0
) -> tuple[float, float]:
    """Return a confidence interval of the mean: the percentile bootstrap of Efron (1979).

    It says how much the mean would vary with other questions of the same kind. Where all values are equal it has no
    width, however few they are: the sample holds no hint of what else there could be.

    :param values: one figure per question, at least one; their order does not matter.
    :param level: share of the resampled means that lie in the interval, between 0 and 1.
    :param resamples: how often as many values are drawn anew, 1 or more.
    :param seed: the same seed gives the same interval.
    :returns: lower and upper end.
    :raises EvaluationError: when there are no values, one is not finite, or a parameter is out of bounds.
    """
    if not 0 < level < 1 or resamples < 1:
        message = f"bootstrap_interval has level={level} and resamples={resamples}"
        raise EvaluationError(message, "give a level between 0 and 1, and 1 or more resamples")
    sample = np.sort(_finite(values))
    if not len(sample):
        raise EvaluationError("there are no values to give an interval of", "leave out figures without values")
    generator = np.random.default_rng(seed)
    means = np.concatenate(
        [generator.choice(sample, size=(rows, len(sample))).mean(axis=1) for rows in _batches(resamples, len(sample))]
    )
    low, high = np.quantile(means, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


def paired_p_value(a: Sequence[float | None], b: Sequence[float | None], seed: int = 0) -> float:
    """Return how likely chance alone makes the means of two systems differ as much, by a paired permutation test.

    Fisher's randomization test, two-sided, by flipping the signs of the differences (as Smucker, Allan and Carterette,
    2007, compare it for information retrieval). Exact up to 16 questions whose values differ; above that by 20,000
    random flips, with the observed one counted among them, so that the value is never below 1/20,001.

    :param a: the first system's figure per question, None where there is none.
    :param b: the second system's, for the same questions; pairs with a None are left out.
    :param seed: the same seed gives the same value.
    :returns: from 0 to 1; 1 where no pair differs.
    :raises EvaluationError: when the two are not of the same length, or a figure is not finite.
    """
    if len(a) != len(b):
        raise EvaluationError(f"there are {len(a)} and {len(b)} figures to compare", "give both for the same questions")
    pairs = [(x, y) for x, y in zip(a, b, strict=True) if x is not None and y is not None]
    differences = _finite([x for x, _ in pairs]) - _finite([y for _, y in pairs])
    differences = differences[differences != 0]
    if not len(differences):
        return 1.0
    # sums that are equal but for rounding count as equal
    observed = abs(differences.sum()) - 1e-9 * np.abs(differences).sum()
    if len(differences) <= EXACT_UP_TO:
        return float((np.abs(_all_sums(differences)) >= observed).mean())
    as_far = sum(int((np.abs(sums) >= observed).sum()) for sums in _random_sums(differences, seed))
    return (as_far + 1) / (FLIPS + 1)


def _all_sums(differences: np.ndarray) -> np.ndarray:
    sums = np.zeros(1)
    for difference in differences:
        sums = np.concatenate([sums + difference, sums - difference])
    return sums


def _random_sums(differences: np.ndarray, seed: int) -> list[np.ndarray]:
    generator = np.random.default_rng(seed)
    return [
        generator.choice([-1.0, 1.0], size=(rows, len(differences))) @ differences
        for rows in _batches(FLIPS, len(differences))
    ]


def _batches(rows: int, columns: int) -> list[int]:
    step = max(1, CELLS // columns)
    return [min(step, rows - start) for start in range(0, rows, step)]


def _finite(values: Sequence[float]) -> np.ndarray:
    for position, value in enumerate(values):
        if not math.isfinite(value):
            raise EvaluationError(f"figure {position} is {value}", "give numbers")
    return np.asarray(values, dtype=float)
