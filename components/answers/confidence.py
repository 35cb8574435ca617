"""How sure the hub is that the passages answer the query."""

import math
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from haystack import Document

from components.text.language import detect_language, may_be_same
from components.text.term_search import TermSearch

TYPICAL_COSINE, TYPICAL_INTERACTION = 0.45, 0.4  # stand in where no stage has measured them
TYPICAL_SHARE = 0.5  # stands in where no keyword leg has searched


class Signs(NamedTuple):
    """What speaks for, or against, an answer among the passages.

    :param cosine: the best cosine.
    :param share: the share of the query's terms, rare ones weighing more, that one passage holds.
    :param interaction: how well each word of the query is met in the first passage, by meaning
        (`LateInteractionRanker`).
    :param foreign: 1 where the first passage is in another language than the query, so that it cannot hold the query's
        terms, and lies further from it in all other respects; else 0.
    """

    cosine: float
    share: float
    interaction: float
    foreign: float


COEFFICIENTS = Signs(cosine=18.8, share=2.7, interaction=5.8, foreign=2.1)
"""Of a logistic regression on questions that a collection answers, and on others that it does not; all sets weigh the
same. They are fitted on the sets of `python -m eval.abstention.people_sets` and measured on others, see
`eval.abstention`."""

CONSTANT = -11.3


def confidence(documents: list[Document], rarity: Mapping[str, float] | None, unranked: float) -> float:
    """Return the estimated probability that the passages answer the query.

    :param documents: the passages; `meta["scores"]["dense"]` is the cosine, where the ranker has set it.
    :param rarity: weight of each term of the query: its inverse document frequency; None where no keyword leg searched.
    :param unranked: the least value when no passage carries scores, and so the cosines are not known.
    :returns: a number from 0 to 1; 0 when there are no passages.
    """
    if not documents:
        return 0.0
    signs = signs_of(documents, rarity)
    evidence = sum(c * sign for c, sign in zip(COEFFICIENTS, signs, strict=True)) + CONSTANT
    probability = 1 / (1 + math.exp(-max(-50.0, min(evidence, 50.0))))
    ranked = any("scores" in document.meta for document in documents)
    return round(max(probability, 0.0 if ranked else unranked), 4)


def signs_of(documents: list[Document], rarity: Mapping[str, float] | None) -> Signs:
    """Return what speaks for the passages; what is not known has a typical value.

    :param documents: as in `confidence`.
    :param rarity: as in `confidence`.
    """
    ranked = [document.meta["scores"] for document in documents if "scores" in document.meta]
    cosine = max((scores["dense"] for scores in ranked if "dense" in scores), default=TYPICAL_COSINE)
    interaction = ranked[0].get("late_interaction", TYPICAL_INTERACTION) if ranked else TYPICAL_INTERACTION
    share, foreign = TYPICAL_SHARE, 0.0
    if rarity:
        search = TermSearch(rarity)
        share = max((_share(document, rarity, search) for document in documents), default=0.0)
        foreign = _foreign(documents, rarity)
    return Signs(cosine, share, interaction, foreign)


def _foreign(documents: list[Document], terms: Iterable[str]) -> float:
    language = documents[0].meta.get("language") if documents else None
    return 0.0 if may_be_same(detect_language(" ".join(terms)), language) else 1.0


def _share(document: Document, rarity: Mapping[str, float], search: TermSearch) -> float:
    parts = (document.meta.get("title"), document.meta.get("section"), document.content)
    held = search.held("\n".join(part for part in parts if part))
    total = sum(rarity.values())
    return sum(weight for term, weight in rarity.items() if term in held) / total if total > 0 else 0.0
