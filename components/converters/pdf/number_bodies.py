"""The rows of a table of figures as text: a label over several lines belongs to the line with its figures."""

from collections.abc import Sequence
from itertools import pairwise
from statistics import median

from khub.components.converters.pdf.hyphens import Hyphens
from khub.components.converters.pdf.number_rows import Row, begins_inside, has_mark, is_far, row_of
from khub.components.converters.pdf.number_runs import goes_on

_INDENT = 0.4
_BETWEEN = 0.75
_TIGHTER = 0.85
_NEAR_EDGE = 0.12
"""A label whose line ends so near to the widest label's end, as a share of the labels' width, goes on in the next."""


def body_rows(rows: Sequence[Row], columns: Sequence[Sequence[float]], hyphens: Hyphens) -> list[list[str]]:
    """Return the rows of a table, a text for the label and for each column.

    :param rows: the lines of the table.
    :param columns: x ranges of its values.
    """
    found: list[list[str]] = []
    width = max((row.label.x1 for row in rows if row.label), default=0.0)
    left = min((row.label.x0 for row in rows if row.label), default=0.0)
    pitch = _pitch(rows)
    open_label = ""
    before: Row | None = None
    for place, row in enumerate(rows):
        label = row.label.text if row.label else ""
        below = rows[place + 1] if place + 1 < len(rows) else None
        if row.values and label == "" and before is not None and _is_beside(before, row, found[-1], columns):
            found[-1] = [one or other for one, other in zip(found[-1], ["", *_placed(row, columns)], strict=True)]
            before = row_of(before.line, before.label, row.values)
            continue
        if row.values:
            label = hyphens.join_two(open_label, label) if open_label and label else open_label or label
            found.append([label, *_placed(row, columns)])
            open_label = ""
        elif before is not None and before.values and (goes_on(before, row) or _hangs(before, row, below)):
            found[-1][0] = hyphens.join_two(found[-1][0], label)
            continue  # what follows may be a further line of the same label
        elif below is not None and (_leads_on(row, below, left, width) or _stands_tight(row, below, pitch)):
            open_label = hyphens.join_two(open_label, label) if open_label else label
        else:
            found.append([hyphens.join_two(open_label, label) if open_label else label, *[""] * len(columns)])
            open_label = ""
        before = row
    return found


def _pitch(rows: Sequence[Row]) -> float:
    """Return the usual step from one row with values to the next; 0 where no two follow each other."""
    steps = [b.line.baseline - a.line.baseline for a, b in pairwise(rows) if a.values and b.values]
    return median(steps) if steps else 0.0


def _is_beside(above: Row, row: Row, cells: Sequence[str], columns: Sequence[Sequence[float]]) -> bool:
    """Whether figures that stand between two lines, for both of them, go with the upper one."""
    near = row.line.baseline - above.line.baseline < _BETWEEN * row.line.size
    return near and not any(one and other for one, other in zip(cells[1:], _placed(row, columns), strict=True))


def _hangs(above: Row, row: Row, below: Row | None) -> bool:
    """Whether a line of words hangs under the label above: further in than that one and the next, or closer to it."""
    if above.label is None or row.label is None or row.bold != above.bold or is_far(above, row):
        return False
    if row.label.text.endswith((":", "：")) or has_mark(row) or row.label.x1 > above.values[0].x0:
        return False
    inside = row.label.x0 > above.label.x0 + _INDENT * row.line.size
    if below is None or below.label is None:
        return inside
    step = row.line.baseline - above.line.baseline
    if step < _TIGHTER * (below.line.baseline - row.line.baseline):
        return True
    return inside and below.label.x0 < row.label.x0 - _INDENT * row.line.size


def _leads_on(row: Row, below: Row, left: float, width: float) -> bool:
    """Whether a label without numbers goes on in the next line, and is no heading of the rows below."""
    if row.label is None or below.label is None or row.label.text.endswith((":", "：")):
        return False
    if row.bold != below.bold:
        return False
    if begins_inside(below.label.text) or (row.bold and below.values):  # bold words head what is not bold
        return True
    indented = below.label.x0 > row.label.x0 + _INDENT * row.line.size
    if indented and has_mark(row) and not has_mark(below):  # an item of several lines hangs behind its mark
        return True
    if not below.values and indented and row.bold and not below.label.text.endswith((":", "：")):
        return True
    full = row.label.x1 > width - _NEAR_EDGE * (width - left)
    return full and indented and not below.label.text[0].isupper()


def _stands_tight(row: Row, below: Row, pitch: float) -> bool:
    """Whether a line of words stands closer above the next one than rows do."""
    if row.label is None or below.label is None or not below.values or row.bold != below.bold:
        return False
    if row.label.text.endswith((":", "：")):
        return False
    return below.line.baseline - row.line.baseline < _TIGHTER * pitch


def _placed(row: Row, columns: Sequence[Sequence[float]]) -> list[str]:
    texts = [""] * len(columns)
    for cell in row.values:
        place = next(at for at, column in enumerate(columns) if cell.x0 < column[1] and cell.x1 > column[0])
        texts[place] = cell.text
    return texts
