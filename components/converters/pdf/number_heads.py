"""What stands above the columns of a table of figures."""

import re
from collections.abc import Sequence
from itertools import pairwise

from khub.components.converters.pdf.layout import Ruling
from khub.components.converters.pdf.lines import Line
from khub.components.converters.pdf.number_cells import Cell, cells_of_line

_FARTHEST = 2.6
_MOST = 9
_TOUCH = 0.5
_LABELS = 0.3
"""How far behind the labels' beginning a head stands at least, as a share of the way to the first column."""
_BESIDE = 0.35
"""How far the middle of a head may be from that of its column, in widths of the wider one."""
_LARGER = 1.15
_UNIT = re.compile(
    r"\(?(?:[\w.,$€£¥%&/ -]+ )?in (?:[\w.$ ]+ )?(?:thousands|millions|billions|lacs|lakhs|crores?|000s)\b.*"
    r"|[(（]?(?:金额)?单位\s*[:：].*|[(（]?(?:人民币|港币|美元)?(?:百万|千|万|亿)?元[)）]?",
    re.IGNORECASE,
)
"""A line that says in what all figures are told: it stands above the table, or names its labels."""
Columns = Sequence[Sequence[float]]


def head_rows(
    lines: Sequence[Line], least: int, first: int, left: float, columns: Columns, rulings: Sequence[Ruling]
) -> tuple[int, list[str]]:
    """Find the head of a table.

    :param lines: of the page or region.
    :param least: the first line that may belong to it.
    :param first: the table's first row.
    :param left: x at which its labels begin.
    :param columns: x ranges of its numbers.
    :param rulings: a head that spans columns is underlined as far as it reaches.
    :returns: the line with which the table begins, and the head: a text for the labels and for each column, with what
        spans several columns in each of them.
    """
    start = first
    labels: list[list[Cell]] = []
    for place in range(first - 1, max(least, first - _MOST) - 1, -1):
        below = lines[place + 1]
        if below.baseline - lines[place].baseline > _FARTHEST * max(below.size, lines[place].size):
            break
        cells = cells_of_line(lines[place])
        if (
            not cells
            or not _is_head(cells, left, columns)
            or _is_title(lines[place], lines[first], left, columns, rulings)
        ):
            break
        start = place
        labels.append(cells)
    while labels and _is_unit(labels[-1]):  # it is said of the table, and names no column
        start += 1
        labels.pop()
    zones = _zones(
        columns, _whole([rule for rule in rulings if any(_is_under(rule, each) for each in lines[start:first])])
    )
    texts = [""] * (len(columns) + 1)
    for line, cells in zip(lines[start:first], reversed(labels), strict=True):
        underlined = [rule for rule in _whole([one for one in rulings if _is_under(one, line)]) if _is_own(rule, cells)]
        for cell in cells:
            for column in [0] if _is_unit(cells) else _reach(cell, left, zones, underlined, len(cells)):
                texts[column] = f"{texts[column]} {cell.text}".strip()
    return start, texts


def _zones(columns: Columns, rules: Sequence[Ruling]) -> Columns:
    """Return columns as wide as the lines under their heads, where each has one of its own."""
    zones = []
    for column in columns:
        own = [rule for rule in rules if [place for place in columns if _overlap(rule, place)] == [column]]
        zones.append(
            [min(column[0], *(rule.x0 for rule in own)), max(column[1], *(rule.x1 for rule in own))] if own else column
        )
    return zones


def _overlap(rule: Ruling, column: Sequence[float]) -> bool:
    return rule.x0 < column[1] and rule.x1 > column[0]


def _is_head(cells: Sequence[Cell], left: float, columns: Columns) -> bool:
    """Whether a line's cells stand over the columns, with one at most over the labels, where running text begins."""
    over = [cell for cell in cells if cell.x1 > columns[0][0]]
    labels = cells[: len(cells) - len(over)]
    if not over or len(labels) > 1 or (labels and labels[0].text.endswith((":", "："))):  # a label and its value
        return False
    return all(cell.x0 > left + _LABELS * (columns[0][0] - left) for cell in over)


def _is_unit(cells: Sequence[Cell]) -> bool:
    return len(cells) == 1 and _UNIT.fullmatch(cells[0].text) is not None


def _is_title(line: Line, row: Line, left: float, columns: Columns, rulings: Sequence[Ruling]) -> bool:
    """Whether a line stands over the whole table and not over columns: it is larger, or centred over the labels too."""
    if line.size > _LARGER * row.size:
        return True
    cells = cells_of_line(line)
    if len(cells) > 1 or any(
        _is_under(rule, line) and rule.x0 > left + _LABELS * (columns[0][0] - left) for rule in rulings
    ):
        return False
    middle, right = (cells[0].x0 + cells[0].x1) / 2, columns[-1][1]
    return middle < columns[0][0] or abs(middle - (left + right) / 2) < abs(middle - (columns[0][0] + right) / 2)


def _is_under(rule: Ruling, line: Line) -> bool:
    return rule.top == rule.bottom and line.baseline - 1 <= rule.top <= line.baseline + 1.2 * line.size


def _is_own(rule: Ruling, cells: Sequence[Cell]) -> bool:
    """Whether a line is drawn below one head of several, and not below all of them."""
    return sum(rule.x0 <= (cell.x0 + cell.x1) / 2 <= rule.x1 for cell in cells) == 1


def _whole(rules: Sequence[Ruling]) -> list[Ruling]:
    """Join the pieces of a line; lines of neighbouring heads, which do not touch, stay apart."""
    whole: list[Ruling] = []
    for rule in sorted(rules, key=lambda each: (round(each.top), each.x0)):
        last = whole[-1] if whole else None
        if last and abs(last.top - rule.top) <= 1 and rule.x0 <= last.x1 + _TOUCH:
            whole[-1] = last._replace(x1=max(last.x1, rule.x1))
        else:
            whole.append(rule)
    return whole


def _reach(cell: Cell, left: float, columns: Columns, rules: Sequence[Ruling], count: int) -> list[int]:
    """Return the numbers of the columns over which a head stands; 0 is the labels'."""
    if cell.x1 <= columns[0][0]:
        return [0]
    x0, x1 = cell.x0, cell.x1
    for rule in rules:
        if rule.x0 <= (x0 + x1) / 2 <= rule.x1 and rule.x0 > left + _LABELS * (columns[0][0] - left):
            x0, x1 = min(x0, rule.x0), max(x1, rule.x1)
    hits = [place for place, column in enumerate(columns, 1) if x0 < column[1] and x1 > column[0]]
    middle = (x0 + x1) / 2
    if len(hits) <= 1 and count < len(columns):
        for place, (one, other) in enumerate(pairwise(columns), 1):
            if one[1] < middle < other[0] and not _is_beside(middle, one) and not _is_beside(middle, other):
                return [place, place + 1]
    return hits or [min(range(1, len(columns) + 1), key=lambda place: abs(_middle(columns[place - 1]) - middle))]


def _is_beside(middle: float, column: Sequence[float]) -> bool:
    return abs(middle - _middle(column)) < _BESIDE * (column[1] - column[0])


def _middle(column: Sequence[float]) -> float:
    return (column[0] + column[1]) / 2
