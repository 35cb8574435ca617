"""How sure the hub is that the passages answer the query."""

import math
from collections.abc import Mapping

from haystack import Document

from components.text.tokenizer import tokenize

# Logistic regression on questions that a collection answers, and on others that it does not; all sets weigh the same.
OF_COSINE = 20.0
OF_SHARE = 12.0
OF_COVERAGE = -7.0
BIAS = -7.5

TYPICAL_COSINE = 0.5  # of an answer's passage; stands in where no dense leg has searched
TYPICAL_SHARE, TYPICAL_COVERAGE = 0.5, 0.75  # stand in where no keyword leg has


def confidence(
    documents: list[Document], rarity: Mapping[str, float] | None, coverage: float | None, unranked: float
) -> float:
    """Return the estimated probability that the passages answer the query.

    Three things speak: the best cosine; the share of the query's terms, rare ones weighing more, that one passage
    holds; and, against it, the share of the terms that the collection knows at all. A question whose words are all
    somewhere in the collection but nowhere together is not answered by it, while one whose words it does not know may
    be in another language.

    :param documents: the passages; `meta["scores"]["dense"]` is the cosine, where the ranker has set it.
    :param rarity: weight of each term of the query: its inverse document frequency; None where no keyword leg searched.
    :param coverage: share of the query's terms that the collection knows, from 0 to 1; None as above.
    :param unranked: the least value when no passage carries scores, and so the cosines are not known.
    :returns: a number from 0 to 1; 0 when there are no passages.
    """
    if not documents:
        return 0.0
    ranked = [document.meta["scores"] for document in documents if "scores" in document.meta]
    cosine = max((scores["dense"] for scores in ranked if "dense" in scores), default=TYPICAL_COSINE)
    share, known = TYPICAL_SHARE, TYPICAL_COVERAGE
    if rarity and coverage is not None:
        share, known = max(_share(document, rarity) for document in documents), coverage
    evidence = OF_COSINE * cosine + OF_SHARE * share + OF_COVERAGE * known + BIAS
    probability = 1 / (1 + math.exp(-max(-50.0, min(evidence, 50.0))))
    return round(max(probability, 0.0 if ranked else unranked), 4)


def _share(document: Document, rarity: Mapping[str, float]) -> float:
    parts = (document.meta.get("title"), document.meta.get("section"), document.content)
    held = set(tokenize("\n".join(part for part in parts if part)))
    total = sum(rarity.values())
    return sum(weight for term, weight in rarity.items() if term in held) / total if total > 0 else 0.0
