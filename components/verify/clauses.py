"""The clauses of a statement that speak about what is claimed."""

import re

from khub.components.text.stopwords import without_stopwords

CLAUSE_END = re.compile(r"(?<![\d年月日])(?:，|,(?!\d))|[；;。：]|\s(?:but|while|whereas)\s|(?=而|但)")
LEAST_TERMS = 2
"""A clause with fewer, such as `in 2000`, belongs to the next one."""
SHORT_CHARACTERS = 200
"""So much of what came before is looked at for the terms of a clause."""


def clauses_of(sentence: str) -> list[str]:
    """Split a sentence where the subject may change."""
    clauses: list[str] = []
    short = ""
    for clause in filter(str.strip, CLAUSE_END.split(sentence)):
        short = f"{short} {clause}".strip()
        if len(_terms(short[-SHORT_CHARACTERS:])) >= LEAST_TERMS:
            clauses.append(short)
            short = ""
    if short:
        clauses.append(f"{clauses.pop()} {short}" if clauses else short)
    return clauses


def near_clauses(claim: str, clauses: list[str]) -> list[str]:
    """Return the clauses that have what they share with the claim, as few as possible; all where that is nothing.

    :param claim: one sentence.
    :param clauses: of a statement in its language, or the cells of a row.
    """
    wanted = _terms(claim)
    shared = [wanted & _terms(clause) for clause in clauses]
    left: set[str] = set().union(*shared)
    kept: set[int] = set()
    while left:
        kept.add(max(range(len(clauses)), key=lambda place: len(shared[place] & left)))
        left = left.difference(*(shared[place] for place in kept))
    return [clauses[place] for place in sorted(kept)] or clauses


def _terms(text: str) -> set[str]:
    return {term for term in without_stopwords(text) if not term.replace(".", "").isdigit()}
