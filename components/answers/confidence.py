"""How sure the hub is that the passages answer the query."""

import math
from statistics import fmean
from typing import NamedTuple

from haystack import Document

from components.stores.language_vectors import ByChance

NEAREST = 5  # passages of which one may answer
COMPARED = 20  # passages from which the best ones may stand out

FOUND = 0.9
"""Share of the questions with an answer whose answer is in one of the `NEAREST` passages: no ranking is surer."""


class Signs(NamedTuple):
    """What speaks for, or against, an answer among the passages.

    None of them depends on how large a collection is, or on an embedder's scale.

    :param lacking: how much weight of the two words of the query that are met least, by meaning, no passage meets
        (`LateInteractionRanker`): a question that the documents do not answer has a word that they do not speak of.
    :param lacking_share: that of the least met one, as a share of the weight of all words.
    :param stands_out: by how much the first passage's late interaction exceeds the mean of the ranking's first ones.
    :param nearness: how much nearer the nearest passage is than passages at random, in standard deviations.
    """

    lacking: float
    lacking_share: float
    stands_out: float
    nearness: float


TYPICAL = Signs(lacking=0.43, lacking_share=0.06, stands_out=0.11, nearness=5.3)
"""Stands in for what no stage has measured, or too few passages show."""

COEFFICIENTS = Signs(lacking=-6.9, lacking_share=-39.3, stands_out=8.0, nearness=0.23)
"""Of a logistic regression on questions that documents answer and others that they do not, as many of either; see
`eval.lab.abstention.pages`."""

CONSTANT = 3.7


def confidence(documents: list[Document], by_chance: ByChance | None, unranked: float) -> float:
    """Return the estimated probability that one of the first passages answers the query.

    It is that where as many queries have an answer as have none.

    :param documents: the ranking, best first; `meta["scores"]` holds each passage's cosine and late interaction, and
        what is lacking in it and those before it, where the rankers have set them.
    :param by_chance: of the dense leg; None where it did not say.
    :param unranked: the least value when no passage carries scores.
    :returns: a number from 0 to `FOUND`; 0 when there are no passages.
    """
    if not documents:
        return 0.0
    signs = signs_of(documents, by_chance)
    evidence = sum(c * sign for c, sign in zip(COEFFICIENTS, signs, strict=True)) + CONSTANT
    probability = FOUND / (1 + math.exp(-max(-50.0, min(evidence, 50.0))))
    ranked = any("scores" in document.meta for document in documents)
    return round(max(probability, 0.0 if ranked else unranked), 4)


def signs_of(documents: list[Document], by_chance: ByChance | None) -> Signs:
    """Return what speaks for the passages; what is not known has a typical value.

    :param documents: as in `confidence`.
    :param by_chance: as in `confidence`.
    """
    nearest, interactions = documents[:NEAREST], _scores(documents[:COMPARED], "late_interaction")
    stands_out = interactions[0] - fmean(interactions) if len(documents) >= NEAREST and interactions else None
    found = {
        # what one passage lacks, and all before it, is never less than what further ones do
        "lacking": min(_scores(nearest, "lacking"), default=None),
        "lacking_share": min(_scores(nearest, "lacking_share"), default=None),
        "stands_out": stands_out,
        "nearness": _nearness(nearest, by_chance) if by_chance else None,
    }
    return Signs(**{**TYPICAL._asdict(), **{name: value for name, value in found.items() if value is not None}})


def _scores(documents: list[Document], name: str) -> list[float]:
    all_scores = [document.meta.get("scores", {}) for document in documents]
    return [scores[name] for scores in all_scores if name in scores]


def _nearness(documents: list[Document], by_chance: ByChance) -> float | None:
    usual = fmean(by_chance.means.values())
    return max(
        (
            (scores["dense"] - by_chance.means.get(str(document.meta.get("language")), usual)) / by_chance.deviation
            for document in documents
            if "dense" in (scores := document.meta.get("scores", {}))
        ),
        default=None,
    )
