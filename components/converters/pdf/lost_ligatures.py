"""Words that a font without a meaning for its ligatures tore apart: "ef ective", "Dif erentiated", "traf c"."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

from khub.components.converters.pdf.layout import Segment, Word

_MARKS = ".,;:!?()[]\"'“”‘’"
_LOST = ("f", "fi", "fl", "i", "l")
# A block of ice is no office; a longer rest is a word where the document has it more often than the whole.
_WORDS = frozenset({"of", "if"})
_SHORTEST_REST = 4


def mend_ligatures(segments: Sequence[Segment], vocabulary: Counter[str]) -> list[Segment]:
    """Put a torn word together where the document has the whole of it elsewhere.

    :param segments: of a page.
    :param vocabulary: how often each word (lower case) stands in the document.
    """
    return [_mended(segment, vocabulary) for segment in segments]


def _mended(segment: Segment, vocabulary: Mapping[str, int]) -> Segment:
    words = segment.words
    if not any(word.text.endswith("f") for word in words[:-1]):
        return segment
    mended: list[Word] = []
    for word in words:
        whole = _whole(mended[-1], word, vocabulary) if mended and mended[-1].text.endswith("f") else ""
        if whole:
            mended[-1] = mended[-1]._replace(text=whole, x1=word.x1)
        else:
            mended.append(word)
    return segment if len(mended) == len(words) else replace(segment, words=mended)


def _whole(head: Word, rest: Word, vocabulary: Mapping[str, int]) -> str:
    """Return the word that two pieces are of, or ""."""
    first, last = head.text.lstrip(_MARKS).casefold(), rest.text.rstrip(_MARKS)
    if not rest.spaced or rest.raised or not (last.isalpha() and last.islower()):
        return ""
    known = [(vocabulary[first + lost + last], lost) for lost in _LOST if vocabulary[first + lost + last]]
    if not known:
        return ""
    count, lost = max(known)
    if first in _WORDS and (len(last) < _SHORTEST_REST or count < vocabulary[last]):
        return ""
    return head.text + lost + rest.text
