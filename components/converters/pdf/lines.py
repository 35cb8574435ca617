"""Lines of text: the segments that stand on one baseline."""

import re
from collections.abc import Iterable, Sequence

from khub.components.converters.blocks import Box
from khub.components.converters.pdf.layout import Segment, Word
from khub.components.converters.pdf.raised_words import is_raised, joined_raised, raised_text
from khub.components.converters.pdf.scripts import is_cjk, is_rtl

_SAME_ROW = 0.3
_SMALLER = 0.9
_GLUED = 0.15
_BEHIND = 0.6
_FAR = 3.0
_MARK = re.compile(r"\(?\d{1,2}\)?|\([a-z*]\)|[*†‡§]+")


class Line:
    """One line of text.

    :param segments: in the order in which they are read.
    """

    __slots__ = ("baseline", "bold", "bottom", "italic", "mono", "rtl", "segments", "size", "text", "top", "x0", "x1")

    def __init__(self, segments: Sequence[Segment]) -> None:
        if len(segments) == 1:  # as most lines are
            self._be(segments[0])
            return
        main = max(segments, key=lambda segment: segment.x1 - segment.x0)
        self.x0 = min(segment.x0 for segment in segments)
        self.x1 = max(segment.x1 for segment in segments)
        self.top = min(segment.top for segment in segments)
        self.bottom = max(segment.bottom for segment in segments)
        self.baseline = main.baseline
        self.size = main.size
        self.bold = all(segment.bold or not any(map(str.isalpha, segment.text)) for segment in segments) and main.bold
        self.mono = all(segment.mono for segment in segments)
        self.italic = all(segment.italic for segment in segments)
        self.rtl = is_rtl("".join(segment.text for segment in segments))
        self.segments = sorted(segments, key=lambda segment: segment.x0, reverse=self.rtl)
        self.text = words_text(self.words)

    def _be(self, only: Segment) -> None:
        self.x0, self.x1, self.top, self.bottom = only.x0, only.x1, only.top, only.bottom
        self.baseline, self.size, self.bold, self.mono = only.baseline, only.size, only.bold, only.mono
        self.italic = only.italic
        self.segments = [only]
        self.text = words_text(only.words)
        self.rtl = is_rtl(self.text)

    @property
    def box(self) -> Box:
        """Left, top, right, bottom."""
        return (self.x0, self.top, self.x1, self.bottom)

    @property
    def words(self) -> list[Word]:
        """All words in reading order; the first of each segment knows whether a gap stands before it."""
        if len(self.segments) == 1:
            return self.segments[0].words
        words: list[Word] = []
        for segment in self.segments:
            first, *rest = segment.words
            if words:
                gap = segment.x0 - words[-1].x1 if not self.rtl else words[-1].x0 - segment.x1
                tight = gap < _GLUED * self.size or (
                    gap < 0.5 * self.size and is_cjk(words[-1].text[-1]) and is_cjk(first.text[0])
                )
                raised = gap < _SAME_ROW * self.size and is_raised(segment, self.size, self.baseline)
                first = first._replace(spaced=not tight, raised=first.raised or raised)
            elif is_raised(segment, self.size, self.baseline):
                first = first._replace(raised=self.segments[1].x0 - segment.x1 < _SAME_ROW * self.size)
            words.append(first)
            words.extend(rest)
        return words


def words_text(words: Iterable[Word]) -> str:
    """Return words as plain text."""
    words = list(words)
    if any(word.raised for word in words):
        text = ""
        for word in joined_raised(words):
            lead = " " if word.spaced and text else ""
            text += lead + (raised_text(word.text, text + lead) if word.raised else word.text)
        return text.strip()
    return "".join(f" {word.text}" if word.spaced else word.text for word in words).strip()


def line_parts(line: Line) -> list[Line]:
    """Return a line's segments apart where they stand far from each other: a title left, a page number right."""
    parts: list[list[Segment]] = []
    for segment in sorted(line.segments, key=lambda each: each.x0):
        if parts and segment.x0 - parts[-1][-1].x1 < _FAR * segment.size:
            parts[-1].append(segment)
        else:
            parts.append([segment])
    return [Line(part) for part in parts]


def to_lines(segments: Iterable[Segment]) -> list[Line]:
    """Group segments by baseline.

    :returns: lines from top to bottom.
    """
    rows: list[list[Segment]] = []
    for segment in sorted(segments, key=lambda each: (each.baseline, each.x0)):
        row = next((row for row in reversed(rows[-3:]) if _same_row(row, segment)), None)
        if row is None:
            rows.append([segment])
        else:
            row.append(segment)
    lines = [Line(row) for row in _with_marks(rows)]
    lines.sort(key=lambda line: line.baseline)
    return lines


def _with_marks(rows: list[list[Segment]]) -> list[list[Segment]]:
    """Put raised marks of notes that stand alone on a baseline with what they are raised behind."""
    whole: list[list[Segment]] = []
    for place, row in enumerate(rows):
        left = row
        if all(_MARK.fullmatch(segment.text) for segment in row):
            near = [other for other in rows[max(0, place - 2) : place + 3] if other is not row]
            left = [segment for segment in row if not any(_raise(segment, other) for other in near)]
        if left:
            whole.append(left)
    return whole


def _raise(mark: Segment, row: list[Segment]) -> bool:
    """Put a mark into a row if it stands right behind a word there, smaller and higher; say whether it does."""
    for word in row:
        behind = -0.1 * word.size <= mark.x0 - word.x1 < _BEHIND * word.size
        higher = word.top - 0.5 * word.size < mark.top and mark.baseline < word.baseline and mark.bottom > word.top
        if mark.size < _SMALLER * word.size and behind and higher:
            row.append(mark)
            return True
    return False


def _same_row(row: list[Segment], segment: Segment) -> bool:
    for other in row:
        close = abs(other.baseline - segment.baseline)
        if close <= max(_SAME_ROW * min(other.size, segment.size), 1.0):
            return True
        small, large = (other, segment) if other.size < segment.size else (segment, other)
        overlap = min(small.bottom, large.bottom) - max(small.top, large.top)
        beside = min(abs(small.x0 - large.x1), abs(large.x0 - small.x1)) < 0.3 * large.size
        if small.size < _SMALLER * large.size and beside and overlap > 0.6 * (small.bottom - small.top):
            return True
    return False
