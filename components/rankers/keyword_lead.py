"""How far the best passage of the keyword leg stands out."""

from collections.abc import Iterable

COMPARED = 20
"""Passages of the list that are looked at, the best one among them."""


def lead(scores: Iterable[float], candidates: int) -> float:
    """Return by what share of the best score it is ahead of the mean of the next ones, from 0 to 1.

    A question whose words many passages hold, as each of them may, leads to scores that lie close together; a question
    whose words stand together in one passage to one that is far ahead.

    :param scores: BM25 of each passage that was found, in any order; the other candidates have 0.
    :param candidates: how many there are.
    :returns: 0 where nothing was found, or a single passage is all that there is.
    """
    best, *others = sorted(scores, reverse=True)[:COMPARED] or [0.0]
    compared = min(candidates, COMPARED) - 1
    return 1 - sum(others) / compared / best if best > 0 and compared > 0 else 0.0
