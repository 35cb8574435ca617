"""How sure the hub is that the passages answer the query."""

import re
from collections.abc import Iterable, Mapping
from statistics import fmean
from typing import NamedTuple

from haystack import Document

from khub.components.answers.calibration import calibrated
from khub.components.question import KeywordSigns
from khub.components.text.language import may_be_same
from khub.components.text.term_search import TermSearch

_LATIN_NAME = re.compile(r"(?<![A-Za-z0-9_./-])[A-Z][a-z]{2,}(?![A-Za-z0-9_/-])")
NEAREST = 5  # passages of which one may answer
COMPARED = 20  # passages from which the best ones may stand out
KNOWN_ABROAD = 0.5  # at most, where it may be that only passages in the other language know the terms


class Signs(NamedTuple):
    """What speaks for, or against, an answer among the passages.

    :param cosine: the best cosine.
    :param share: the share of the query's terms, rare ones weighing more, that one passage holds; names also in
        Chinese characters.
    :param interaction: how well each word of the query is met in the first passage, by meaning
        (`LateInteractionRanker`).
    :param foreign: 1 where the first passage is in another language than the query, so that it cannot hold the query's
        terms, and lies further from it in all other respects; else 0.
    :param stands_out: by how much `interaction` exceeds the mean of the ranking's first passages.
    :param known: the share of the query's terms that the collection holds anywhere: the more, the more a `share` of
        them can be chance. At most a half where `foreign`; not known where a filter leaves only a part of it.
    :param keyword_lead: by what share of the best BM25 score it exceeds the mean of the ranking's first passages.
    """

    cosine: float
    share: float
    interaction: float
    foreign: float
    stands_out: float
    known: float
    keyword_lead: float


TYPICAL = Signs(cosine=0.45, share=0.25, interaction=0.4, foreign=0.0, stands_out=0.1, known=0.5, keyword_lead=0.4)
"""Stands in for what no stage has measured, or too few passages show."""

COEFFICIENTS = Signs(cosine=19.8, share=5.7, interaction=5.5, foreign=1.1, stands_out=5.0, known=-3.5, keyword_lead=3.9)
"""Of a logistic regression on questions that a collection answers, and on others that it does not; all sets weigh the
same. They are fitted on the sets of `python -m khub.eval.lab.abstention.people_sets` and measured on others, see
`khub.eval.lab.abstention`."""

CONSTANT = -12.4

UNKNOWN_NAME = -4.0
"""Added where the question holds a name that no document does: chosen on the half `calibration` of
`eval/pages/abstention`. It is no sign of the regression, whose sets hardly name anything."""


def confidence(documents: list[Document], of_terms: KeywordSigns, language: str, unranked: float) -> float:
    """Return the estimated probability that the passages answer the query, calibrated.

    :param documents: the ranking, best first; `meta["scores"]` holds each passage's cosine, BM25 and late interaction,
        where the rankers have set them.
    :param of_terms: of the keyword leg; `NO_SIGNS` where none has searched.
    :param language: of the question.
    :param unranked: the least value when no passage carries scores, and so the cosines are not known.
    :returns: a number from 0 to 1; 0 when there are no passages.
    """
    if not documents:
        return 0.0
    signs = signs_of(documents, of_terms, language)
    evidence = sum(c * sign for c, sign in zip(COEFFICIENTS, signs, strict=True)) + CONSTANT
    evidence += UNKNOWN_NAME if not_held(documents, of_terms, language) else 0.0
    ranked = any("scores" in document.meta for document in documents)
    return round(max(calibrated(evidence), 0.0 if ranked else unranked), 4)


def not_held(documents: list[Document], of_terms: KeywordSigns, language: str) -> list[str]:
    """Return the names of a question that its passages would hold as they are if they were about them.

    A passage in another language may call a name otherwise, unless it has names in Latin letters like those of the
    question.

    :param documents: as in `confidence`.
    :param of_terms: as in `confidence`.
    :param language: of the question.
    :returns: those of `unknown`; where the first passage is in another language without such names, not those that may
        stand in it `elsewhere`.
    """
    unknown, elsewhere = of_terms.unknown, of_terms.elsewhere
    if not elsewhere or not _foreign(documents, language) or _with_latin_names(documents[:NEAREST]):
        return list(unknown)
    return [name for name in unknown if name not in elsewhere]


def signs_of(documents: list[Document], of_terms: KeywordSigns, language: str) -> Signs:
    """Return what speaks for the passages; what is not known has a typical value.

    :param documents: as in `confidence`.
    :param of_terms: as in `confidence`.
    :param language: of the question.
    """
    signs = TYPICAL._asdict()
    nearest = documents[:NEAREST]
    few = len(documents) < NEAREST
    signs["cosine"] = max(_scores(nearest, "dense"), default=TYPICAL.cosine)
    interactions, keywords = _scores(documents, "late_interaction"), _scores(documents, "sparse")
    if interactions:
        signs["interaction"] = interactions[0]
    if interactions and not few:
        signs["stands_out"] = interactions[0] - fmean(interactions)
    rarity = of_terms.rarity
    if rarity:
        search = TermSearch(rarity)
        spelled = [(term, re.compile(pattern)) for term, pattern in of_terms.spelled]
        signs["share"] = max((_share(document, rarity, search, spelled) for document in nearest), default=0.0)
        signs["foreign"] = _foreign(documents, language)
        known = TYPICAL.known if of_terms.filtered or of_terms.coverage is None else of_terms.coverage
        signs["known"] = min(known, KNOWN_ABROAD if signs["foreign"] else 1.0)
    if rarity and not few:
        best = max(keywords, default=0.0)
        signs["keyword_lead"] = (best - fmean(keywords)) / best if best > 0 else 0.0
    return Signs(**signs)


def _scores(documents: list[Document], name: str) -> list[float]:
    all_scores = [document.meta.get("scores", {}) for document in documents[:COMPARED]]
    return [scores[name] for scores in all_scores if name in scores]


def _foreign(documents: list[Document], language: str) -> float:
    return 0.0 if not documents or may_be_same(language, documents[0].meta.get("language")) else 1.0


def _with_latin_names(documents: list[Document]) -> bool:
    return 2 * sum(_LATIN_NAME.search(document.content or "") is not None for document in documents) > len(documents)


def _share(
    document: Document, rarity: Mapping[str, float], search: TermSearch, spelled: Iterable[tuple[str, re.Pattern[str]]]
) -> float:
    parts = (document.meta.get("title"), document.meta.get("section"), document.content)
    text = "\n".join(part for part in parts if part)
    held = search.held(text) | {term for term, pattern in spelled if pattern.search(text)}
    total = sum(rarity.values())
    return sum(weight for term, weight in rarity.items() if term in held) / total if total > 0 else 0.0
