"""Where on a page the words of a text stand, line by line: the page's own characters are compared with it."""

import unicodedata
from collections.abc import Sequence
from difflib import SequenceMatcher
from typing import NamedTuple

Box = Sequence[float]
"""Left, top, right, bottom in points from the top left."""
MARGIN_POINTS = 3
LEAST = 6
"""Letters and digits that follow one another on the page as in the text, where the text is not there as a whole."""
_CELL = "|"


class Character(NamedTuple):
    """A character of a page."""

    text: str
    box: Box


class _Letters(NamedTuple):
    """What of some characters is compared: letters and digits, alike whatever their case and width.

    :param origin: of each letter, the number of the character that it comes from.
    """

    text: str
    origin: list[int]


def evidence_boxes(characters: Sequence[Character], evidence: str, passage: Sequence[Box] = ()) -> list[list[float]]:
    """Return a box for each line, or part of one, in which a text stands; none where it is not found.

    A row of a table is looked for cell by cell: the page may have each cell's lines one behind the other.

    :param characters: of the page, in the order in which they are read.
    :param evidence: Markdown.
    :param passage: boxes within which it stands; empty for anywhere on the page.
    """
    inside = [one for one in characters if not passage or any(_holds(box, one.box) for box in passage)]
    letters = _letters([one.text for one in inside])
    found = _whole(letters.text, _letters([evidence]).text) or _cells(inside, letters, evidence)
    if not found:
        found = _blocks(letters.text, _letters([evidence]).text)
    return _lines([inside[letters.origin[at]].box for start, end in found for at in range(start, end)])


def _holds(box: Box, other: Box) -> bool:
    x, y = (other[0] + other[2]) / 2, (other[1] + other[3]) / 2
    return (
        box[0] - MARGIN_POINTS <= x <= box[2] + MARGIN_POINTS and box[1] - MARGIN_POINTS <= y <= box[3] + MARGIN_POINTS
    )


def _letters(texts: Sequence[str]) -> _Letters:
    alike = [[c for c in unicodedata.normalize("NFKC", text).casefold() if c.isalnum()] for text in texts]
    return _Letters("".join(map("".join, alike)), [n for n, own in enumerate(alike) for _ in own])


def _whole(page: str, wanted: str) -> list[tuple[int, int]]:
    at = page.find(wanted) if wanted else -1
    return [(at, at + len(wanted))] if at >= 0 else []


def _cells(inside: Sequence[Character], letters: _Letters, evidence: str) -> list[tuple[int, int]]:
    """Return where the cells of a table's row stand: the longest one that is there, and the others nearest to it."""
    rows = [row for row in evidence.splitlines() if _CELL in row]
    if not rows:
        return []
    cells = sorted(filter(None, (_letters([cell]).text for row in rows for cell in row.split(_CELL))), key=len)
    places = {cell: _places(letters.text, cell) for cell in cells}
    anchors = [cell for cell in cells if places[cell]]
    if not anchors:
        return []
    anchor = min(anchors, key=lambda cell: (len(places[cell]), -len(cell)))
    start = places[anchor][0]
    middle = _middle(inside, letters, start, start + len(anchor))
    return [
        min(
            ((at, at + len(cell)) for at in places[cell]),
            key=lambda part: abs(_middle(inside, letters, *part) - middle),
        )
        for cell in anchors
    ]


def _places(page: str, wanted: str) -> list[int]:
    found, at = [], page.find(wanted)
    while at >= 0:
        found.append(at)
        at = page.find(wanted, at + 1)
    return found


def _middle(inside: Sequence[Character], letters: _Letters, start: int, end: int) -> float:
    boxes = [inside[letters.origin[at]].box for at in range(start, end)]
    return (min(box[1] for box in boxes) + max(box[3] for box in boxes)) / 2


def _blocks(page: str, wanted: str) -> list[tuple[int, int]]:
    """Return where parts of the text stand, in its order."""
    blocks = SequenceMatcher(None, wanted, page, autojunk=False).get_matching_blocks()
    return [(block.b, block.b + block.size) for block in blocks if block.size >= min(LEAST, len(wanted) or LEAST)]


def _lines(boxes: Sequence[Box]) -> list[list[float]]:
    """Return boxes of characters that follow one another, put together line by line."""
    lines: list[list[float]] = []
    for left, top, right, bottom in boxes:
        if lines and _on_line(lines[-1], left, top, bottom):
            last = lines[-1]
            lines[-1] = [min(last[0], left), min(last[1], top), max(last[2], right), max(last[3], bottom)]
        else:
            lines.append([left, top, right, bottom])
    return lines


def _on_line(line: Box, left: float, top: float, bottom: float) -> bool:
    height = bottom - top
    overlap = min(line[3], bottom) - max(line[1], top)
    return overlap > height / 2 and line[0] - height <= left <= line[2] + 3 * max(height, line[3] - line[1])
