"""Rows of tables as they came out, beside those that a reader wrote down."""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from khub.eval.lab.documents.read_markdown import read_markdown, shown
from khub.eval.lab.documents.structure import Grid, Structure

LEADERS = re.compile(r"(?:\s*[.…·_]){3,}\s*")
SIGNS = re.compile(r"(?<=[$€£¥(+-])\s+|\s+(?=[%)])")
DASH = re.compile(r"[\u2010-\u2015\u2212]")
ENUMERATED = re.compile(r"\d{1,3}[.)]")
CUT = "…"
MARK = re.compile(r"\s*(?:#{1,6}|[-*>])\s+")
NUMBER = re.compile(r"\d")
EMPHASIS = re.compile(r"[*_`\\]")
Cells = tuple[str, ...]


@dataclass(frozen=True)
class RowFigures:
    """How many of a page's rows came out right.

    :param rows: of the tables that were written down, heads left out.
    :param rows_right: of which one row that came out has the same cells in the same order, empty ones left out; a row
        of one cell, or of a label and its value, may also stand as a line of its own.
    :param cells: of those rows, empty ones left out.
    :param cells_right: that the row has which shares most cells with theirs.
    :param pairs: of a row's label and a number in it.
    :param pairs_right: whose label and number came out in one row or line, with no other row's label.
    :param fused: rows that came out and hold the labels and numbers of several.
    """

    rows: int = 0
    rows_right: int = 0
    cells: int = 0
    cells_right: int = 0
    pairs: int = 0
    pairs_right: int = 0
    fused: int = 0


def row_figures(truth: Structure, markdown: str) -> RowFigures:
    """Compare the rows of a page's tables.

    :param truth: what was written down.
    :param markdown: what came out for the page.
    """
    wanted = [cells for grid in truth.grids for cells in _rows(grid, cut=True)[1:] if cells]
    came = [cells for grid in read_markdown(markdown).grids for cells in _rows(grid) if cells]
    left, alone = list(came), _lines_of_text(markdown)
    right = 0
    for cells in wanted:
        if (found := next((other for other in left if _same(cells, other)), None)) is not None:
            left.remove(found)
            right += 1
        elif (line := _standing_alone(cells, alone)) is not None:
            alone.remove(line)
            right += 1
    lines = [plain(shown(line.replace("|", " "))) for line in markdown.splitlines()]
    labels = [label for cells in wanted if (label := _label(cells)) and len(label) > 3]
    pairs = [(_label(cells), cell) for cells in wanted if _label(cells) for cell in _numbers(cells)]
    return RowFigures(
        rows=len(wanted),
        rows_right=right,
        cells=sum(map(len, wanted)),
        cells_right=sum(_most_shared(cells, came) for cells in wanted),
        pairs=len(pairs),
        pairs_right=sum(any(_beside(label, number, line, labels) for line in lines) for label, number in pairs),
        fused=sum(_is_fused(cells, wanted) for cells in came),
    )


def plain(text: str) -> str:
    """Return a cell's text as it is compared: leaders, emphasis and case do not count, nor blanks within an amount."""
    text = EMPHASIS.sub("", unicodedata.normalize("NFKC", LEADERS.sub(" ", text)))
    text = SIGNS.sub("", DASH.sub("-", text))
    return " ".join(text.casefold().split())


def _rows(grid: Grid, cut: bool = False) -> list[Cells]:
    """Return the cells of each row.

    :param cut: whether the dots at the end of a cell say that more stands in it.
    """
    texts = [[_with_cut(cell.text) if cut else plain(cell.text) for cell in row] for row in grid.rows]
    return [_numbered(tuple(filter(None, row))) for row in texts]


def _lines_of_text(markdown: str) -> list[str]:
    """Return the lines that are in no table, without the marks of headings and items."""
    rest = [line for line in markdown.splitlines() if not line.lstrip().startswith("|")]
    return [text for line in rest if (text := plain(shown(MARK.sub("", line))))]


def _standing_alone(cells: Cells, lines: Sequence[str]) -> str | None:
    """Return the line that says the same as a row of one or two cells: a blank field or a label with its value."""
    if len(cells) > 2:
        return None
    texts = {" ".join(cells), ": ".join(cells)}
    return next((line for line in lines if line in texts or (len(cells) == 1 and _alike(cells[0], line))), None)


def _with_cut(text: str) -> str:
    return plain(text) + CUT if text.endswith(("...", CUT)) else plain(text)


def _numbered(cells: Cells) -> Cells:
    """Put a row's own number with what it counts: whether it stands in a cell of its own is a matter of taste."""
    if len(cells) > 1 and ENUMERATED.fullmatch(cells[0]):
        return (f"{cells[0]} {cells[1]}", *cells[2:])
    return cells


def _same(wanted: Cells, came: Cells) -> bool:
    return len(wanted) == len(came) and all(map(_alike, wanted, came))


def _alike(wanted: str, came: str) -> bool:
    """Say whether a cell came out; of a long one the beginning was written down."""
    return came.startswith(wanted[:-1].strip()) if wanted.endswith(CUT) else wanted == came


def _label(cells: Cells) -> str:
    """Return what a row begins with, where that is words and not a number."""
    return cells[0] if len(cells) > 1 and re.search(r"[^\W\d_]{2}|[\u3400-\u9fff]", cells[0]) else ""


def _numbers(cells: Cells) -> list[str]:
    return [cell for cell in cells[1:] if NUMBER.search(cell) and len(cell) <= 20]


def _most_shared(cells: Cells, came: Sequence[Cells]) -> int:
    return max((_shared(cells, other) for other in came), default=0)


def _shared(one: Cells, other: Cells) -> int:
    left, count = list(other), 0
    for cell in one:
        if (found := next((text for text in left if _alike(cell, text)), None)) is not None:
            left.remove(found)
            count += 1
    return count


def _beside(label: str, number: str, line: str, labels: Sequence[str]) -> bool:
    """Say whether a line has a label and its number, and no label of another row that is no part of this one."""
    start = line.find(label)
    if start < 0 or not _holds(line[start + len(label) :], number):
        return False
    rest = line.replace(label, " ")
    return not any(other in rest for other in labels if other not in label and label not in other)


def _holds(text: str, number: str) -> bool:
    """Say whether a number stands in a text as a whole, however its sign is spaced."""
    bare = re.escape(number.strip("$€£¥%() "))
    return bool(re.search(rf"(?<![\d.,]){bare}(?![\d]|[.,]\d)", text))


def _is_fused(cells: Cells, wanted: Sequence[Cells]) -> bool:
    """Say whether a row that came out holds the labels of several, with a number of each."""
    line = " ".join(cells)
    held = [row for row in wanted if (label := _label(row)) and len(label) > 3 and label in line]
    whole = [row for row in held if not any(_label(row) in _label(other) for other in held if other != row)]
    with_numbers = [row for row in whole if any(_holds(line, number) for number in _numbers(row))]
    return len(with_numbers) > 1
