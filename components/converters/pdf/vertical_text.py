"""Chinese and Japanese set in columns: from top to bottom, the columns from right to left.

A PDF has each character upright at its place, as if it were a line of its own; taken as text that runs downwards, the
columns are lines like any others.
"""

import unicodedata
from collections import defaultdict
from collections.abc import Sequence
from itertools import pairwise
from statistics import median

from khub.components.converters.pdf.scripts import is_cjk
from khub.components.converters.pdf.text_reader import RawWord

_FEWEST = 4
_MOSTLY = 0.5
_LEAST_STEP, _MOST_STEP = 0.5, 1.6
_ASIDE = 0.35
_SAME_SIZE = 0.2
_CLOSER = 0.9
_BASELINE = 0.12
_DOWN = 270
_BIN = 8.0


def with_columns(words: Sequence[RawWord]) -> Sequence[RawWord]:
    """Return the words of a page; where most Chinese stands in columns, these as lines that run downwards.

    :param words: in PDFium's order.
    """
    single = [word for word in words if _is_upright_sign(word)]
    if sum(is_cjk(word.text[0]) for word in single) < _FEWEST:
        return words
    columns = [column for column in _columns(single) if len(column) > 1]
    chosen = {id(word): word for column in columns for word in column}
    written = sum(is_cjk(letter) for word in words for letter in word.text)
    if sum(is_cjk(word.text[0]) for word in chosen.values()) <= _MOSTLY * written or not _are_apart(columns):
        return words
    columns.sort(key=lambda column: -column[0].left)
    down = [word for number, column in enumerate(columns, 1) for word in _run(column, -number)]
    return [word for word in words if id(word) not in chosen] + down


def _is_upright_sign(word: RawWord) -> bool:
    """Whether a word fills one place of a column: a character, or a short number set across it."""
    if word.style.angle:
        return False
    return len(word.text) == 1 or (len(word.text) <= 3 and word.text.isdigit())


def _columns(words: Sequence[RawWord]) -> list[list[RawWord]]:
    """Group signs that stand right below each other."""
    columns: list[list[RawWord]] = []
    by_place: dict[int, list[list[RawWord]]] = defaultdict(list)
    for word in sorted(words, key=lambda each: -each.top):
        place = int(_middle(word) / _BIN)
        near = [column for at in (place - 1, place, place + 1) for column in by_place[at]]
        column = next((column for column in near if _is_below(word, column[-1])), None)
        if column is None:
            column = []
            columns.append(column)
            by_place[place].append(column)
        column.append(word)
    return columns


def _is_below(word: RawWord, above: RawWord) -> bool:
    size = above.style.size
    step = _step(above, word)
    alike = abs(word.style.size - size) < _SAME_SIZE * size and abs(_middle(word) - _middle(above)) < _ASIDE * size
    return alike and _LEAST_STEP * size < step < _MOST_STEP * size


def _are_apart(columns: Sequence[Sequence[RawWord]]) -> bool:
    """Whether characters stand closer to those below them than to those beside them."""
    steps = [_step(above, below) for column in columns for above, below in pairwise(column)]
    places = sorted(median([_middle(word) for word in column]) for column in columns)
    gaps = [after - before for before, after in pairwise(places) if after - before > _ASIDE * columns[0][0].style.size]
    return not gaps or median(steps) < _CLOSER * median(gaps)


def _run(column: Sequence[RawWord], line: int) -> list[RawWord]:
    """Return the signs of a column as those of one line that runs downwards.

    :param line: a number that no line of the page has.
    """
    return [
        word._replace(
            text=unicodedata.normalize("NFKC", word.text) if "\ufe10" <= word.text <= "\ufe4f" else word.text,
            style=word.style._replace(angle=_DOWN, drop=_BASELINE * word.style.size, flat=False),
            spaced=False,
            line=line,
        )
        for word in column
    ]


def _step(above: RawWord, below: RawWord) -> float:
    return (above.top + above.bottom - below.top - below.bottom) / 2


def _middle(word: RawWord) -> float:
    return (word.left + word.right) / 2
