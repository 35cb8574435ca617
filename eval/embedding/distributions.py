"""How far the cosines of relevant passages lie above those of irrelevant ones: what a threshold can rely on."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from khub.eval.retrieve.beir import Dataset

PERCENTILES = (1, 5, 25, 50, 75, 95, 99)
KEPT_PERCENT = 95
SEED = 0


class Distribution(NamedTuple):
    """How many pairs there are, and percentiles of their cosines (linear interpolation), None where there are none."""

    pairs: int
    percentiles: dict[int, float | None]


class Cosines(NamedTuple):
    """Cosines of a data set's pairs of query and passage.

    hits: each relevant passage; best_miss: the best-scored irrelevant passage of each query; random_miss: any
    irrelevant passage of each query; auc: how often a hit lies above a best miss, of all pairs of the two (a tie counts
    half; None without misses); threshold: the cosine above which 95 % of the hits lie.
    """

    hits: Distribution
    best_miss: Distribution
    random_miss: Distribution
    auc: float | None
    threshold: float


def distributions(scores: np.ndarray, data: Dataset) -> Cosines:
    """Return the cosines of hits and misses; a query to which every passage is relevant has no miss.

    :param scores: cosine of each query with each passage, (queries, passages), in the order of the set.
    """
    chosen = np.random.default_rng(SEED)
    places = {passage: place for place, passage in enumerate(data.passages)}
    hits: list[float] = []
    best: list[float] = []
    other: list[float] = []
    for query, row in zip(data.queries, scores, strict=True):
        relevant = [places[passage] for passage in data.gains[query]]
        hits += row[relevant].tolist()
        misses = np.delete(row, relevant)
        if len(misses):
            best.append(float(misses.max()))
            other.append(float(chosen.choice(misses)))
    threshold = float(np.percentile(hits, 100 - KEPT_PERCENT))
    return Cosines(_distribution(hits), _distribution(best), _distribution(other), auc(hits, best), threshold)


def auc(above: Sequence[float] | np.ndarray, below: Sequence[float] | np.ndarray) -> float | None:
    """Return the area under the ROC curve: of all pairs, the share in which the first is larger; a tie counts half.

    :returns: 0 to 1; None where there is no pair.
    """
    if not len(above) or not len(below):
        return None
    ordered = np.sort(below)
    smaller = (np.searchsorted(ordered, above, "left") + np.searchsorted(ordered, above, "right")) / 2
    return float(smaller.mean() / len(below))


def _distribution(values: list[float]) -> Distribution:
    found = np.percentile(values, PERCENTILES).tolist() if values else [None] * len(PERCENTILES)
    return Distribution(len(values), dict(zip(PERCENTILES, found, strict=True)))
