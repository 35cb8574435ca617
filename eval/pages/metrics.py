"""How much of a question's evidence the first passages lead to."""

from collections.abc import Sequence
from typing import Any

from khub.eval.pages.question_set import Question

CUTS = (1, 5, 10, 20)
DOCUMENT_CUT = 10
RECALL = tuple(f"recall@{cut}" for cut in CUTS)
HIT = f"hit@{DOCUMENT_CUT}"
DOCUMENTS = f"documents@{DOCUMENT_CUT}"
METRICS = (*RECALL, HIT, DOCUMENTS)


def applies_to(question: Question) -> bool:
    """Return whether there is evidence to find."""
    return question.answerable and bool(question.evidence)


def measures_of(question: Question, passages: Sequence[Sequence[Any]]) -> dict[str, float]:
    """Return the share of the evidence pages among the pages of the first 1, 5, 10 and 20 passages, from 0 to 1.

    A passage stands for one page, the one that its citation names. `hit@10` is 1 if any evidence page is among the
    first ten. `documents@10` is the share of the documents with evidence among the first ten: what it exceeds recall@10
    by was found in the right document on a wrong page.

    :param question: one that `applies_to`.
    :param passages: `[source, page]`, best first.
    """
    pages = set(question.evidence)
    sources = {source for source, _ in pages}
    places = [(source, page) for source, page in passages]
    found = {f"recall@{cut}": len(pages & set(places[:cut])) / len(pages) for cut in CUTS}
    first = places[:DOCUMENT_CUT]
    found[HIT] = float(bool(pages & set(first)))
    return {**found, DOCUMENTS: len(sources & {source for source, _ in first}) / len(sources)}
