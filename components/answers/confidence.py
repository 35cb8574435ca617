"""How sure the hub is that the passages answer the query."""

import math
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from haystack import Document

from components.text.language import detect_language, may_be_same
from components.text.tokenizer import tokenize

TYPICAL_COSINE, TYPICAL_INTERACTION = 0.5, 0.4  # stand in where no stage has measured them
TYPICAL_SHARE, TYPICAL_SCATTERED = 0.5, 0.35  # stand in where no keyword leg has searched


class Signs(NamedTuple):
    """What speaks for, or against, an answer among the passages.

    :param cosine: the best cosine.
    :param share: the share of the query's terms, rare ones weighing more, that one passage holds.
    :param interaction: how well each word of the query is met in the first passage, by meaning
        (`LateInteractionRanker`).
    :param foreign: 1 where the first passage is in another language than the query, so that it cannot hold the query's
        terms, and lies further from it in all other respects; else 0.
    :param scattered: the share of the terms that the collection knows, times the share that no passage holds together
        (1 - `share`). It speaks against: a question whose words are all somewhere in the collection but nowhere
        together is not answered by it, while one whose words it does not know may be in another language.
    """

    cosine: float
    share: float
    interaction: float
    foreign: float
    scattered: float


COEFFICIENTS = Signs(cosine=17.8, share=6.6, interaction=9.8, foreign=3.1, scattered=-5.2)
"""Of a logistic regression on questions that a collection answers, and on others that it does not; all sets weigh the
same (`python -m eval.abstention` fits and measures them)."""

CONSTANT = -11.8


def confidence(
    documents: list[Document], rarity: Mapping[str, float] | None, coverage: float | None, unranked: float
) -> float:
    """Return the estimated probability that the passages answer the query.

    :param documents: the passages; `meta["scores"]["dense"]` is the cosine, where the ranker has set it.
    :param rarity: weight of each term of the query: its inverse document frequency; None where no keyword leg searched.
    :param coverage: share of the query's terms that the collection knows, from 0 to 1; None as above.
    :param unranked: the least value when no passage carries scores, and so the cosines are not known.
    :returns: a number from 0 to 1; 0 when there are no passages.
    """
    if not documents:
        return 0.0
    signs = signs_of(documents, rarity, coverage)
    evidence = sum(c * sign for c, sign in zip(COEFFICIENTS, signs, strict=True)) + CONSTANT
    probability = 1 / (1 + math.exp(-max(-50.0, min(evidence, 50.0))))
    ranked = any("scores" in document.meta for document in documents)
    return round(max(probability, 0.0 if ranked else unranked), 4)


def signs_of(documents: list[Document], rarity: Mapping[str, float] | None, coverage: float | None) -> Signs:
    """Return what speaks for the passages; what is not known has a typical value.

    :param documents: as in `confidence`.
    :param rarity: as in `confidence`.
    :param coverage: as in `confidence`.
    """
    ranked = [document.meta["scores"] for document in documents if "scores" in document.meta]
    cosine = max((scores["dense"] for scores in ranked if "dense" in scores), default=TYPICAL_COSINE)
    interaction = ranked[0].get("late_interaction", TYPICAL_INTERACTION) if ranked else TYPICAL_INTERACTION
    share, foreign, scattered = TYPICAL_SHARE, 0.0, TYPICAL_SCATTERED
    if rarity and coverage is not None:
        share = max((_share(document, rarity) for document in documents), default=0.0)
        foreign, scattered = _foreign(documents, rarity), coverage * (1 - share)
    return Signs(cosine, share, interaction, foreign, scattered)


def _foreign(documents: list[Document], terms: Iterable[str]) -> float:
    language = documents[0].meta.get("language") if documents else None
    return 0.0 if may_be_same(detect_language(" ".join(terms)), language) else 1.0


def _share(document: Document, rarity: Mapping[str, float]) -> float:
    parts = (document.meta.get("title"), document.meta.get("section"), document.content)
    held = set(tokenize("\n".join(part for part in parts if part)))
    total = sum(rarity.values())
    return sum(weight for term, weight in rarity.items() if term in held) / total if total > 0 else 0.0
