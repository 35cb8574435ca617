"""From documents to drafts: all rules, then a choice that leaves none of them out."""

from collections.abc import Sequence
from typing import TypeVar

from khub.eval.evaluators.matching import normalised
from khub.eval.synth.definitions import definitions
from khub.eval.synth.draft import Draft
from khub.eval.synth.headings import headings
from khub.eval.synth.identifiers import identifiers
from khub.eval.synth.numbers import numbers
from khub.eval.synth.source_text import SourceText
from khub.eval.synth.tables import table_cells

RULES = (definitions, numbers, table_cells, identifiers, headings)
LONGEST_EVIDENCE = 300

T = TypeVar("T")


def draft_by_rules(texts: Sequence[SourceText], per_document: int) -> list[Draft]:
    """Draft questions from documents, the same ones each time.

    :param texts: the documents.
    :param per_document: at most so many of each.
    :returns: drafts whose evidence stands in the document, no question twice, in the order of the documents.
    """
    drafts: list[Draft] = []
    asked: set[str] = set()
    for text in texts:
        whole = normalised(text.document.content or "")
        found = []
        for rule in RULES:
            fresh = []
            for draft in rule(text):
                if _is_proven(draft, whole) and normalised(draft.question) not in asked:
                    asked.add(normalised(draft.question))
                    fresh.append(draft)
            found.append(fresh)
        chosen = choose(found, per_document)
        asked -= {normalised(draft.question) for fresh in found for draft in fresh if draft not in chosen}
        drafts += chosen
    return drafts


def choose(by_rule: Sequence[Sequence[Draft]], number: int) -> list[Draft]:
    """Choose drafts: as many of each rule as there are, by turns, and of a rule from all parts of the document.

    :param by_rule: the drafts of each rule, in the order of the document.
    :param number: how many at most.
    """
    shares = [0] * len(by_rule)
    while sum(shares) < number and any(share < len(drafts) for share, drafts in zip(shares, by_rule, strict=True)):
        for place, drafts in enumerate(by_rule):
            if shares[place] < len(drafts) and sum(shares) < number:
                shares[place] += 1
    return [draft for share, drafts in zip(shares, by_rule, strict=True) for draft in spread(drafts, share)]


def spread(items: Sequence[T], number: int) -> list[T]:
    """Return so many items, evenly spread over all of them."""
    return [items[(2 * place + 1) * len(items) // (2 * number)] for place in range(number)]


def _is_proven(draft: Draft, whole: str) -> bool:
    evidence = normalised(draft.evidence)
    return (
        bool(evidence) and evidence in whole and bool(draft.answer.strip()) and len(draft.evidence) <= LONGEST_EVIDENCE
    )
