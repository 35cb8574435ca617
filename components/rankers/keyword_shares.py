"""Keyword scores of passages in several languages, on one scale."""

import math
from collections import Counter
from collections.abc import Mapping

from components.rankers.keyword_lead import lead

STEEPNESS = 6.0
"""Of the step from counting by the best score of all to counting by the best one of the language."""


def shares_by_language(scores: Mapping[str, float], languages: Mapping[str, str]) -> dict[str, float]:
    """Say what share of the best score each passage has.

    Passages in another language than the question are found by translations of its words, which weigh less: the best of
    them has a lower score than any passage in the question's language that shares a few words with it. Where it stands
    out among those of its language, and the best of all does not among those of its own, its words say as much. So the
    share is the mean of that of the best of all and that of the best of the language, the latter with the weight
    `1 / (1 + exp(STEEPNESS * (lead of the best of all - lead of the best of the language)))`, each lead taken among the
    passages of one language (`components.rankers.keyword_lead.lead`).

    :param scores: BM25 by id, 0 or more; a passage that `languages` does not have is left out.
    :param languages: of all candidates, by id.
    :returns: from 0 to 1, for each id in `scores` that is a candidate.
    """
    by_language: dict[str, dict[str, float]] = {}
    for id_, score in scores.items():
        if id_ in languages:
            by_language.setdefault(languages[id_], {})[id_] = max(score, 0.0)
    candidates = Counter(languages.values())
    best = {language: max(found.values()) for language, found in by_language.items()}
    leads = {language: lead(found.values(), candidates[language]) for language, found in by_language.items()}
    first = max(best, key=lambda language: best[language], default="")
    shares: dict[str, float] = {}
    for language, found in by_language.items():
        own = 1 / (1 + math.exp(STEEPNESS * (leads[first] - leads[language])))
        for id_, score in found.items():
            shares[id_] = (1 - own) * _share(score, best[first]) + own * _share(score, best[language])
    return shares


def _share(score: float, best: float) -> float:
    return score / best if best > 0 else 1.0
