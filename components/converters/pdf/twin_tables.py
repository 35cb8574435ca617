"""Tables that stand side by side: the columns of one return in the other, each as far to the right."""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from khub.components.converters.blocks import Box
from khub.components.converters.pdf.layout import Segment
from khub.components.converters.pdf.lines import Line, to_lines
from khub.components.converters.pdf.list_items import is_marker
from khub.components.converters.pdf.number_cells import Cell, cells_of_line, is_figure
from khub.components.converters.pdf.tables import Table

_FEWEST_LINES = 5
_FEWEST_ALIGNED = 3
_SNAP = 2.5
_BIN = 2.0
_GUTTER = 1.0
_MATCHED = 0.75
_ALIKE, _REPEATED = 0.9, 2
_DIFFERENT = 0.8
_TRIED = 3
_LONGEST = 40
Edge = tuple[bool, float]
"""Whether a cell is a figure, which columns align at the right; and the x where it is aligned."""


class Twins(NamedTuple):
    """A strip between two tables.

    :param x: where it parts them.
    :param top: of the stretch of the page in which nothing crosses it.
    """

    x: float
    top: float
    bottom: float


def find_twins(segments: Sequence[Segment], boxes: Sequence[Box]) -> Twins | None:
    """Find the strip between two tables that stand side by side.

    :param boxes: of tables and figures: they may cross it, above or below.
    """
    lines = [(line, _cells(line)) for line in to_lines(segments) if not line.rtl and not line.mono]
    for x in _strips(lines):
        sides = [[[c for c in cells if (c.x1 <= x) == left] for _, cells in lines] for left in (True, False)]
        if _are_twins(*sides):
            rows = [
                line for (line, _), *cells in zip(lines, *sides, strict=True) if any(len(side) > 1 for side in cells)
            ]
            crossing = [(s.top, s.bottom) for s in segments if s.x0 < x < s.x1]
            crossing += [(box[1], box[3]) for box in boxes if box[0] < x < box[2]]
            return _free(x, [(line.top, line.bottom) for line in rows], crossing)
    return None


def _cells(line: Line) -> list[Cell]:
    """Return the cells of a line, the mark of an item, such as 1., with the label behind it."""
    cells: list[Cell] = []
    for cell in cells_of_line(line):
        if cells and is_marker(cells[-1].text) and not is_figure(cell.text):
            cells[-1] = Cell(cells[-1].x0, cell.x1, f"{cells[-1].text} {cell.text}", cell.leads)
        else:
            cells.append(cell)
    return cells


def _strips(lines: Sequence[tuple[Line, list[Cell]]]) -> Iterator[float]:
    """Yield where most rows have a gap before words, and a cell or more before it."""
    votes: Counter[int] = Counter()
    for line, cells in lines:
        for before, behind in pairwise(cells):
            if behind.x0 - before.x1 > _GUTTER * line.size and not is_figure(behind.text):
                votes.update(range(int(before.x1 / _BIN) + 1, int(behind.x0 / _BIN) + 1))
    for _ in range(_TRIED):
        at, most = max(votes.items(), key=lambda vote: vote[1], default=(0, 0))
        if most < _FEWEST_LINES:
            return
        end = at
        while votes[end + 1] == most:
            end += 1
        yield (at + end) / 2 * _BIN
        for place in range(at - 6, end + 7):
            del votes[place]


def _are_twins(left: Sequence[Sequence[Cell]], right: Sequence[Sequence[Cell]]) -> bool:
    """Whether the cells of both sides are aligned in the same way, and are no rows over both."""
    if _are_rows(left, right):
        return False
    sides = [[cells for cells in side if len(cells) > 1] for side in (left, right)]
    if min(map(len, sides)) < _FEWEST_LINES or any(_is_prose(side) for side in sides):
        return False
    edges = [[_edge(cell) for cells in side for cell in cells] for side in sides]
    aligned = [_aligned(each) for each in edges]
    labels = [next((edge for edge in each if not edge[0]), None) for each in aligned]
    if min(map(len, aligned)) < 2 or labels[0] is None or labels[1] is None:
        return False
    shift = labels[1][1] - labels[0][1]
    shares = (_matched(edges[0], aligned[1], shift), _matched(edges[1], aligned[0], -shift))
    return min(shares) >= _MATCHED


def _are_rows(left: Sequence[Sequence[Cell]], right: Sequence[Sequence[Cell]]) -> bool:
    """Whether nearly all rows of one side go on in the other, and no row has the same cells in both, as heads have."""
    pairs = list(zip(left, right, strict=True))
    both = sum(len(one) > 1 and len(other) > 1 for one, other in pairs)
    fewer = min(sum(len(cells) > 1 for cells in side) for side in (left, right))
    repeated = max(len({c.text for c in one} & {c.text for c in other}) for one, other in pairs)
    return both > _ALIKE * fewer and repeated < _REPEATED


def _is_prose(rows: Sequence[Sequence[Cell]]) -> bool:
    long = sum(len(cell.text) > _LONGEST for cells in rows for cell in cells)
    return long * 2 > len(rows)


def _edge(cell: Cell) -> Edge:
    figure = is_figure(cell.text)
    return figure, cell.x1 if figure else cell.x0


def _aligned(edges: Sequence[Edge]) -> list[Edge]:
    """Return the edges at which several cells are aligned, from left to right."""
    found: list[list[Edge]] = []
    for edge in sorted(edges):
        if found and found[-1][-1][0] == edge[0] and edge[1] - found[-1][-1][1] <= _SNAP:
            found[-1].append(edge)
        else:
            found.append([edge])
    groups = [group for group in found if len(group) >= _FEWEST_ALIGNED]
    return sorted(((group[0][0], sum(x for _, x in group) / len(group)) for group in groups), key=lambda edge: edge[1])


def _matched(edges: Sequence[Edge], others: Sequence[Edge], shift: float) -> float:
    """Return the share of edges that are aligned with others when they are shifted."""
    hits = sum(any(kind == other and abs(x + shift - y) <= 2 * _SNAP for other, y in others) for kind, x in edges)
    return hits / len(edges)


def _free(x: float, rows: Sequence[tuple[float, float]], crossing: Sequence[tuple[float, float]]) -> Twins | None:
    """Return the longest stretch of rows that nothing crosses, as far up and down as it goes."""
    walls = sorted([(float("-inf"), float("-inf")), *crossing, (float("inf"), float("inf"))])
    best: tuple[int, Twins] | None = None
    bottom = float("-inf")
    for top, end in walls:
        held = sum(bottom <= row_top and row_bottom <= top for row_top, row_bottom in rows)
        if held >= _FEWEST_LINES and (best is None or held > best[0]):
            best = (held, Twins(x, bottom, top))
        bottom = max(bottom, end)
    return best[1] if best else None


def split_twins(table: Table) -> list[Table]:
    """Part a table whose columns come twice, labels and figures: two tables that were read, or drawn, as one."""
    cut = _second_labels(table.rows[1:])
    if not cut:
        return [table]
    x0, top, x1, bottom = table.box
    x = table.edges[cut] if cut < len(table.edges) else (x0 + x1) / 2
    parts = [
        ([row[:cut] for row in table.rows], (x0, top, x, bottom), table.edges[: cut + 1]),
        ([row[cut:] for row in table.rows], (x, top, x1, bottom), table.edges[cut:]),
    ]
    return [
        Table([rows[0], *filter(any, rows[1:])], box, edges, table.bold_header)
        for rows, box, edges in parts
        if any(map(any, rows))
    ]


def _second_labels(rows: Sequence[Sequence[str]]) -> int:
    """Return the column with labels in the middle of rows, 0 where there is none.

    As many figures stand behind it as behind the first one, and its labels differ as those do: units would not.
    """
    columns = [[cell for cell in column if cell] for column in zip(*rows, strict=True)]
    kinds = [sum(not is_figure(cell) for cell in column) * 2 > len(column) for column in columns]
    cut = len(kinds) // 2
    figures = kinds[1:cut]
    if len(kinds) % 2 or len(figures) < _REPEATED or any(figures) or kinds[:cut] != kinds[cut:] or not kinds[0]:
        return 0
    labels = columns[cut]
    return cut if len(labels) >= _FEWEST_LINES and len(set(labels)) > _DIFFERENT * len(labels) else 0
