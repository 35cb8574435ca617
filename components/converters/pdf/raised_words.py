"""Raised numbers: exponents, and marks of notes."""

import re
from collections.abc import Iterable

from khub.components.converters.pdf.layout import Segment, Word
from khub.components.text.raised_text import write_raised

_NUMBER = re.compile(r"[-+−–]?\d{1,3}")
_SMALLER = 0.86
_HIGHER = 0.15


def is_raised(segment: Segment, size: float, baseline: float) -> bool:
    """Whether a number stands smaller and higher than its line.

    :param size: of the line, as is its `baseline`.
    """
    smaller = segment.size < _SMALLER * size and segment.baseline < baseline - _HIGHER * size
    return smaller and _NUMBER.fullmatch(segment.text) is not None


def raised_text(word: str, before: str) -> str:
    """Return a raised word as it stands behind a text: 10^6, m², units¹; what is no number stays as it is."""
    return write_raised(word, before) if _NUMBER.fullmatch(word) else word


def joined_raised(words: Iterable[Word]) -> list[Word]:
    """Put raised words together that follow each other without a gap: a sign and its number."""
    joined: list[Word] = []
    for word in words:
        if joined and word.raised and joined[-1].raised and not word.spaced and not word.uri:
            joined[-1] = joined[-1]._replace(text=joined[-1].text + word.text, x1=word.x1)
        else:
            joined.append(word)
    return joined
