"""Fields of a form that stand below each other in one cell, each with its number before it."""

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise

from khub.components.converters.pdf.layout import Segment, Word
from khub.components.converters.pdf.lines import Line, to_lines

_NUMBER = re.compile(r"\d{1,2}[a-z]?\.?|[a-z]\.?|\((?:\d{1,2}|[a-z])\)")
_FIELD = re.compile(r"(?:\d{1,2}[a-z]?|[a-z])\.? \D{3}")
_NUMBERED = re.compile(r"(?:\d{1,2}[a-z]?\.?|[a-z]\.?|\(\d{1,2}\)) ")
_BOX = re.compile(r"\d{1,2}[a-z]?(?:\(\d{1,2}\))?|[a-z]")
_ALIGNED = 4.0
_FEWEST, _MOSTLY = 3, 0.5


def first_lines(lines: Sequence[Line]) -> list[int]:
    """Return which lines begin a field: those with a number before their words, at the place of the other numbers.

    :param lines: of one cell, from top to bottom.
    :returns: their places; none where only the first line has a number, or a line begins left of the words.
    """
    starts = {at: words.x0 for at, line in enumerate(lines) if (words := _after_number(line)) is not None}
    left = min(starts.values(), default=0.0)
    outer = min((lines[at].x0 for at in starts), default=0.0)
    places = [at for at, x in starts.items() if x - left <= _ALIGNED or lines[at].x0 - outer <= _ALIGNED]
    hanging = all(line.x0 >= left - _ALIGNED for at, line in enumerate(lines) if at not in starts)
    return places if hanging and places != [0] else []


def numbered_rows(columns: Mapping[int, Sequence[Segment]]) -> list[dict[int, list[Segment]]]:
    """Part a row where a field begins in its first column; a value belongs to the field on whose lines it stands.

    :param columns: what stands in each column of one drawn row.
    :returns: one part or more, from top to bottom.
    """
    lines = to_lines(columns[min(columns)]) if columns else []
    places = first_lines(lines)
    heights = sorted({0, *places})
    tops = [lines[at].top for at in heights] if places else []
    rows: list[dict[int, list[Segment]]] = [{} for _ in tops or [0]]
    for column, parts in columns.items():
        for part in parts:
            middle = (part.top + part.bottom) / 2
            row = max((at for at, top in enumerate(tops) if top <= middle), default=0)
            rows[row].setdefault(column, []).append(part)
    return rows


def _after_number(line: Line) -> Word | None:
    """Return the first word behind the number that a line begins with."""
    words = sorted(line.words, key=lambda word: word.x0)
    if not words or line.rtl or not _NUMBER.fullmatch(words[0].text):
        return None
    return next((word for word in words[1:] if not _NUMBER.fullmatch(word.text)), None)


def one_field_a_row(rows: Sequence[Sequence[str]]) -> list[list[str]]:
    """Give each numbered field a row of its own, and leave out boxes that say its number once more.

    :param rows: cells of a drawn table, its head left out.
    """
    boxes = _number_boxes(rows)
    found: list[list[str]] = []
    for cells in rows:
        row = ["" if at in boxes and _repeats(cells[0], cell) else cell for at, cell in enumerate(cells)]
        fields = [at for at, cell in enumerate(row) if is_field(cell)]
        if fields[:1] != [0]:
            found.append(row)
            continue
        for start, end in pairwise([*fields, len(row)]):
            values = [cell if start < at < end else "" for at, cell in enumerate(row)]
            found.append([row[start], *values[1:]])
    return found


def is_field(text: str) -> bool:
    """Whether a cell holds the words of a field behind their number."""
    return _FIELD.match(text) is not None


def _number_boxes(rows: Sequence[Sequence[str]]) -> set[int]:
    """Return the columns that say the numbers of their rows once more."""
    columns: set[int] = set()
    for at in range(1, len(rows[0]) if rows else 0):
        written = [row for row in rows if row[at] and _NUMBERED.match(row[0])]
        repeated = sum(_repeats(row[0], row[at]) for row in written)
        if repeated >= _FEWEST and repeated >= _MOSTLY * len(written):
            columns.add(at)
    return columns


def _repeats(label: str, box: str) -> bool:
    """Whether a box says the number that a label begins with: "2" or, below it, "2b" for "b"."""
    number = label.split(" ", 1)[0].rstrip(".")
    return bool(number) and box.endswith(number) and _BOX.fullmatch(box) is not None
