"""How much the keyword leg counts for one question, by how far its best passage stands out."""

import math
from collections.abc import Iterable

COMPARED = 20
"""Passages of the list that are looked at, the best one among them."""

TYPICAL_LEAD = 0.45
"""Of questions that people ask; at it, a weight stays as it is."""


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


def grown(weight: float, ahead: float, gain: float) -> float:
    """Return the weight for a question whose best passage has this lead.

    :param weight: at `TYPICAL_LEAD`, from 0 to 1; these two stay as they are.
    :param ahead: that lead, see `lead`.
    :param gain: by so much the logit of the weight grows while the lead grows by 1.
    """
    if not 0 < weight < 1:
        return weight
    odds = weight / (1 - weight) * math.exp(gain * (ahead - TYPICAL_LEAD))
    return odds / (1 + odds)
