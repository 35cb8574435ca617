"""Leaders: the dots that lead from a title to its page number, or from a row's label to its figures."""

import re
from collections.abc import Sequence
from itertools import pairwise

from khub.components.converters.pdf.layout import Word

_LEADERS = re.compile(r"\.{4,}|(?:\. ){3,}\.|…{2,}|_{5,}|·{4,}|(?:· ){3,}·")
_RUN = re.compile(r"[.·_]{4,}|…{2,}")
_MARKS = frozenset(".·_…")
_LONGEST = 8


def has_leaders(text: str) -> bool:
    """Whether a line has leaders in it."""
    return _LEADERS.search(text) is not None


def ends_in_leaders(text: str) -> bool:
    """Whether a line ends with leaders and what they lead to."""
    ends = [found.end() for found in _LEADERS.finditer(text)]
    return bool(ends) and len(text[ends[-1] :].strip(" .·_")) <= _LONGEST


def leader_pieces(word: str) -> list[str]:
    """Cut a word where leaders begin and end in it."""
    if not _RUN.search(word):
        return [word]
    ends = [0, *(end for found in _RUN.finditer(word) for end in found.span()), len(word)]
    return [word[start:end] for start, end in pairwise(ends) if start < end]


def is_leader(word: str) -> bool:
    """Whether a word is made of nothing but the dots of a leader."""
    return _MARKS.issuperset(word)


def without_leaders(words: Sequence[Word]) -> list[Word]:
    """Leave out the dots that lead to a value: runs of them, and dots that stand apart in a row."""
    texts = [word.text for word in words]
    dots = [is_leader(text) for text in texts]
    return [
        word
        for at, word in enumerate(words)
        if not (dots[at] and (is_leader_run(texts[at]) or any(dots[max(at - 1, 0) : at]) or any(dots[at + 1 : at + 2])))
    ]


def is_leader_run(word: str) -> bool:
    """Whether a word is a leader by itself, not one dot of several that stand apart."""
    return _RUN.fullmatch(word) is not None
