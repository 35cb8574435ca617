"""Text that does not run as the page's own does: up or down a margin, or aslant across the page; one segment a line."""

import math
from collections.abc import Iterator, Sequence
from itertools import pairwise

from khub.components.converters.pdf.layout import Segment, Word
from khub.components.converters.pdf.lines import line_parts, to_lines
from khub.components.converters.pdf.page_space import PageSpace, turned_back
from khub.components.converters.pdf.segments import build_segments, clean_word
from khub.components.converters.pdf.text_reader import RawWord, TextReader

_SAME_LINE = 0.4
_SAME_SIZE = 0.12
_WORD_GAP, _LINE_GAP = 1.3, 3.0


def is_aslant(word: RawWord) -> bool:
    """Whether a word runs along no side of the page."""
    return word.style.angle % 90 != 0


def turned_lines(words: Sequence[RawWord], space: PageSpace) -> Iterator[Segment]:
    """Set words together that run up, down or upside down.

    :param space: in which the page's own text is upright.
    :returns: one segment for each line, in that space.
    """
    angles = {(word.style.angle - space.rotation) % 360 for word in words}
    for angle in sorted(angles):
        turned = space.turned(angle)
        own = [word for word in words if (word.style.angle - space.rotation) % 360 == angle]
        for whole in to_lines(build_segments(own, turned)):
            for line in line_parts(whole):
                box = turned_back(line.box, angle, turned.size)
                yield Segment(line.words, *box, box[3], line.size, line.bold, line.mono, angle)


def aslant_lines(words: Sequence[RawWord], space: PageSpace, reader: TextReader) -> Iterator[Segment]:
    """Set words together that run aslant: PDFium takes each of their letters for a line of its own.

    :param reader: while its page is open.
    """
    rows: list[list[RawWord]] = []
    for word in words:
        row = next((row for row in rows if _in_one_line(row[-1], word, reader)), None)
        if row is None:
            rows.append([word])
        else:
            row.append(word)
    for row in rows:
        row.sort(key=lambda word: _along(word, word.start, reader))
        yield from (_segment(part, space, reader) for part in _parts(row, reader))


def _in_one_line(one: RawWord, other: RawWord, reader: TextReader) -> bool:
    if one.style.angle != other.style.angle or abs(one.style.size - other.style.size) > _SAME_SIZE * one.style.size:
        return False
    return abs(_across(one, reader) - _across(other, reader)) < _SAME_LINE * one.style.size


def _parts(row: list[RawWord], reader: TextReader) -> Iterator[list[RawWord]]:
    part = [row[0]]
    for before, word in pairwise(row):
        if _gap(before, word, reader) > _LINE_GAP * word.style.size:
            yield part
            part = []
        part.append(word)
    yield part


def _segment(row: list[RawWord], space: PageSpace, reader: TextReader) -> Segment:
    words: list[Word] = []
    boxes = [space.box(word.left, word.bottom, word.right, word.top) for word in row]
    for place, (word, box) in enumerate(zip(row, boxes, strict=True)):
        apart = place > 0 and _gap(row[place - 1], word, reader) > _WORD_GAP * word.style.size
        written = word.start > 0 and reader.is_space(word.start - 1)
        words.append(Word(clean_word(word.text), box[0], box[2], spaced=apart or written))
    style = row[0].style
    x0, x1 = min(box[0] for box in boxes), max(box[2] for box in boxes)
    top, bottom = min(box[1] for box in boxes), max(box[3] for box in boxes)
    angle = (style.angle - space.rotation) % 360
    return Segment(words, x0, top, x1, bottom, bottom, round(style.size, 1), style.bold, style.mono, angle)


def _gap(before: RawWord, word: RawWord, reader: TextReader) -> float:
    """Return the way from the last letter of a word to the next word, that letter's own width in it."""
    return _along(word, word.start, reader) - _along(before, before.end - 1, reader)


def _along(word: RawWord, index: int, reader: TextReader) -> float:
    x, y = reader.origin(index)
    turn = math.radians(word.style.angle)
    return x * math.cos(turn) + y * math.sin(turn)


def _across(word: RawWord, reader: TextReader) -> float:
    x, y = reader.origin(word.start)
    turn = math.radians(word.style.angle)
    return y * math.cos(turn) - x * math.sin(turn)
