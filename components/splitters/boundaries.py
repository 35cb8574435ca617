"""Where a block may be cut, and where the overlap with the piece before begins."""

import re
from collections.abc import Iterator

from khub.components.splitters.image_anchors import anchor_around

# dots that lead to a number end no sentence
_SENTENCE = re.compile(
    r"[。！？；…][”’」』）)]*\s*"
    r"|(?<!\.\.\.)(?<!\. \. )[.!?][\"'”’)\]]*\s+(?=[^\sa-z])"
    r"|\n(?=[ \t]*(?:[-*+•]|[0-9]+[.)])[ \t])"
)
_LINE = re.compile(r"\n+")
_WORD = re.compile(r"\s+|[，、：]")
_BLANK_LINE = re.compile(r"\n[ \t]*\r?\n")
_LEVELS = {"text": (_SENTENCE, _LINE, _WORD), "code": (_BLANK_LINE, _LINE), "table": (_LINE,), "heading": (_WORD,)}


def cut_before(text: str, start: int, limit: int, kind: str) -> int:
    """Find the best end of a piece that has to end by `limit`.

    Only the second half of the piece is looked at, so that no piece is tiny and the time is linear in `limit - start`.
    Running text is cut after a sentence (or before a list item), else after a line, else after a word; code at a
    blank line, else after a line; a table after a row. Without any of these the cut is at `limit`. The mark of a
    picture is not cut.

    :param text: the document.
    :param start: offset at which the piece starts.
    :param limit: greatest offset at which it may end; above `start`.
    :param kind: of the block, as in `Block.kind`.
    :returns: an offset above `start` and not above `limit`.
    """
    end = _last_boundary(text, start, limit, kind)
    anchor = anchor_around(text, end)
    return anchor[0] if anchor and anchor[0] > start else end


def _last_boundary(text: str, start: int, limit: int, kind: str) -> int:
    middle = (start + limit) // 2
    for level in _LEVELS[kind]:
        ends = [end for match in level.finditer(text, middle, limit) if (end := match.end()) > start]
        if ends:
            return ends[-1]
    return limit


def sentence_starts(text: str, start: int, end: int) -> Iterator[int]:
    """Yield the offsets at which the sentences and list items of `text[start:end]` start, `start` first."""
    yield start
    yield from (match.end() for match in _SENTENCE.finditer(text, start, end) if match.end() < end)


def overlap_before(text: str, lowest: int, end: int) -> int:
    """Find where the overlap begins that ends at `end`.

    :param text: the document.
    :param lowest: smallest offset at which it may begin.
    :param end: offset at which the next piece's own text begins.
    :returns: the first beginning of a sentence in the first two thirds from `lowest`, else the first beginning of a
        word, else `lowest`; `end` when `lowest` is not below it.
    """
    if lowest >= end:
        return end
    begin = _first_boundary(text, lowest, end)
    anchor = anchor_around(text, begin)
    return min(anchor[1], end) if anchor else begin


def _first_boundary(text: str, lowest: int, end: int) -> int:
    latest = lowest + (end - lowest) * 2 // 3
    for level in (_SENTENCE, _WORD):
        match = level.search(text, lowest, end)
        if match and match.end() <= latest:
            return match.end()
    return lowest
