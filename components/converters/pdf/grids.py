"""Grids of ruling lines: the edges of their rows and columns, and the cell that covers each place."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from khub.components.converters.blocks import Box
from khub.components.converters.pdf.layout import Ruling

_SNAP = 4.0
_TOUCH = 4.0
_MOST_LINES = 1500
_MOST_COLUMNS = 40
_MOST_CELLS = 6000
_COVERED = 0.55
_OVERHANG = 12.0
_BOX = 11.0
_FEWEST_REPEATED = 3
_REPEATED = 0.4
Place = tuple[int, int]
"""Row and column in a grid."""


@dataclass(slots=True)
class Grid:
    """A grid that is drawn.

    :param xs: x of the columns' edges, one more than there are columns.
    :param ys: y of the rows' edges, one more than there are rows.
    :param owners: place -> top left place of the cell that covers it.
    """

    xs: list[float]
    ys: list[float]
    owners: dict[Place, Place]

    @property
    def rows(self) -> int:
        """Return how many rows it has."""
        return len(self.ys) - 1

    @property
    def columns(self) -> int:
        """Return how many columns it has."""
        return len(self.xs) - 1

    @property
    def box(self) -> Box:
        """Return the box around it."""
        return (self.xs[0], self.ys[0], self.xs[-1], self.ys[-1])

    def part(self, start: int, end: int) -> "Grid":
        """Return some of its rows as a grid of their own: a cell that goes on above or below is cut there."""
        owners = {
            (row - start, column): (max(self.owners[row, column][0], start) - start, self.owners[row, column][1])
            for row in range(start, end)
            for column in range(self.columns)
        }
        return Grid(self.xs, self.ys[start : end + 1], owners)

    def cuts(self, row: int) -> list[int]:
        """Return the columns before which a line stands in a row, but for the first."""
        return [at for at in range(1, self.columns) if self.owners[row, at] != self.owners[row, at - 1]]

    def begins(self, row: int) -> bool:
        """Whether most cells of a row begin in it."""
        owners = {self.owners[row, at] for at in range(self.columns)}
        return sum(owner[0] == row for owner in owners) * 2 > len(owners)

    def slot(self, y: float) -> int:
        """Return the row in which a height lies."""
        return slot(self.ys, y)


def find_grids(rulings: Sequence[Ruling]) -> Iterator[tuple[Grid, list[Ruling]]]:
    """Yield the grids of a page from top to bottom, each with its lines."""
    for group in _connected(_without_boxes(_merged(rulings))):
        if (grid := _grid(group)) is not None:
            yield grid, group


def stretches(grid: Grid) -> list[tuple[int, int, bool]]:
    """Part a grid where its columns change: a form is drawn around a table, or above it, as one with it.

    :returns: first row, row after the last, and whether the columns of one row return in others as those of a table do;
        what is left is a form, boxes of all widths.
    """
    cuts = [frozenset(grid.cuts(row)) for row in range(grid.rows)]
    runs = _runs(cuts)
    if len(runs) == 1:
        return [(0, grid.rows, True)]
    found: list[tuple[int, int, bool]] = []
    for start, end in runs:
        parted = [cuts[row] for row in range(start, end) if cuts[row] and grid.begins(row)]
        repeated = max(map(parted.count, parted), default=0)
        regular = repeated >= max(_FEWEST_REPEATED, _REPEATED * len(parted))
        joined = found and not regular and not found[-1][2]
        found.append((found.pop()[0] if joined else start, end, regular))
    return found


def _runs(cuts: Sequence[frozenset[int]]) -> list[tuple[int, int]]:
    """Group rows of which one has all edges of the others: a head or a total spans columns, a form's boxes do not."""
    runs: list[tuple[int, int]] = []
    start, finest = 0, cuts[0]
    for row, each in enumerate(cuts):
        if each <= finest or finest <= each:
            finest |= each
        else:
            runs.append((start, row))
            start, finest = row, each
    return [*runs, (start, len(cuts))]


def slot(edges: Sequence[float], position: float) -> int:
    """Return the number of the first strip between edges that ends beyond a position; the last one where none does."""
    return next((at for at in range(len(edges) - 2) if position < edges[at + 1]), len(edges) - 2)


def _grid(group: Sequence[Ruling]) -> Grid | None:
    across = [line for line in group if line.top == line.bottom]
    down = [line for line in group if line.x0 == line.x1]
    xs = _snapped([line.x0 for line in down])
    ys = _snapped([line.top for line in across])
    if not xs or not ys:
        return None
    xs = _with_ends(xs, min(line.x0 for line in across), max(line.x1 for line in across))
    ys = _with_ends(ys, min(line.top for line in down), max(line.bottom for line in down))
    if len(xs) < 3 or len(ys) < 3 or len(xs) > _MOST_COLUMNS or (len(xs) - 1) * (len(ys) - 1) > _MOST_CELLS:
        return None
    return Grid(xs, ys, _cells(xs, ys, across, down))


def _cells(xs: list[float], ys: list[float], across: Sequence[Ruling], down: Sequence[Ruling]) -> dict[Place, Place]:
    """Map each place of the grid to the top left place of the cell that covers it."""
    owners: dict[Place, Place] = {}
    columns, rows = len(xs) - 1, len(ys) - 1
    uprights = [[(d.top, d.bottom) for d in down if abs(d.x0 - x) <= _SNAP] for x in xs]
    levels = [[(a.x0, a.x1) for a in across if abs(a.top - y) <= _SNAP] for y in ys]

    def parted(row: int, edge: int) -> bool:
        return _drawn(uprights[edge], ys[row], ys[row + 1])

    for row in range(rows):
        for column in range(columns):
            if (row, column) in owners:
                continue
            right = column
            while right + 1 < columns and (row, right + 1) not in owners and not parted(row, right + 1):
                right += 1
            bottom = row
            while (
                bottom + 1 < rows
                and not _drawn(levels[bottom + 1], xs[column], xs[right + 1])
                and (right + 1 == columns or parted(bottom + 1, right + 1))
                and not any(parted(bottom + 1, edge) for edge in range(column + 1, right + 1))
            ):
                bottom += 1
            for y in range(row, bottom + 1):
                for x in range(column, right + 1):
                    owners.setdefault((y, x), (row, column))
    return owners


def _drawn(parts: list[tuple[float, float]], start: float, end: float) -> bool:
    covered = sum(max(0.0, min(end, b) - max(start, a)) for a, b in parts)
    return covered >= _COVERED * (end - start)


def _with_ends(edges: list[float], first: float, last: float) -> list[float]:
    """Add the ends of the lines that cross, where a table has no outer line on a side."""
    if first < edges[0] - _OVERHANG:
        edges = [first, *edges]
    if last > edges[-1] + _OVERHANG:
        edges = [*edges, last]
    return edges


def _snapped(values: list[float]) -> list[float]:
    edges: list[list[float]] = []
    for value in sorted(values):
        if edges and value - edges[-1][-1] <= _SNAP:
            edges[-1].append(value)
        else:
            edges.append([value])
    return [sum(group) / len(group) for group in edges]


def _merged(rulings: Sequence[Ruling]) -> list[Ruling]:
    """Join pieces of one line, drawn cell by cell."""
    merged: list[Ruling] = []
    across = sorted((line for line in rulings if line.top == line.bottom), key=lambda line: (round(line.top), line.x0))
    for line in across:
        last = merged[-1] if merged else None
        if last and abs(last.top - line.top) <= 1 and line.x0 <= last.x1 + _TOUCH:
            merged[-1] = last._replace(x1=max(last.x1, line.x1))
        else:
            merged.append(line)
    down = sorted((line for line in rulings if line.top != line.bottom), key=lambda line: (round(line.x0), line.top))
    first = len(merged)
    for line in down:
        last = merged[-1] if len(merged) > first else None
        if last and abs(last.x0 - line.x0) <= 1 and line.top <= last.bottom + _TOUCH:
            merged[-1] = last._replace(bottom=max(last.bottom, line.bottom))
        else:
            merged.append(line)
    return merged


def _without_boxes(lines: list[Ruling]) -> list[Ruling]:
    """Leave out small boxes to tick, which are no cells, though they may touch the lines of some."""
    short = [line for line in lines if line.top != line.bottom and line.bottom - line.top <= _BOX]
    gone: set[int] = set()
    for one, other in combinations(sorted(short, key=lambda line: (round(line.top), line.x0)), 2):
        if other.top - one.top > 1 or not 1 < other.x0 - one.x0 <= _BOX or abs(one.bottom - other.bottom) > 1:
            continue
        gone.update((id(one), id(other)))
        gone.update(
            id(line)
            for line in lines
            if line.top == line.bottom and abs(line.x0 - one.x0) <= 1 and abs(line.x1 - other.x0) <= 1
            if min(abs(line.top - one.top), abs(line.top - one.bottom)) <= 1
        )
    return [line for line in lines if id(line) not in gone]


def _connected(lines: list[Ruling]) -> list[list[Ruling]]:
    """Group lines that cross or touch, from top to bottom."""
    if len(lines) > _MOST_LINES:
        return []
    across = [line for line in lines if line.top == line.bottom]
    down = [line for line in lines if line.top != line.bottom]
    groups: list[tuple[list[Ruling], list[Ruling]]] = []
    for upright in down:
        hits = [a for a in across if a.x0 - _TOUCH <= upright.x0 <= a.x1 + _TOUCH]
        hits = [a for a in hits if upright.top - _TOUCH <= a.top <= upright.bottom + _TOUCH]
        if not hits:
            continue
        new: tuple[list[Ruling], list[Ruling]] = ([upright], hits)
        rest = []
        for group in groups:
            if any(line in group[1] for line in hits):
                new = (new[0] + group[0], group[1] + [line for line in new[1] if line not in group[1]])
            else:
                rest.append(group)
        groups = [*rest, new]
    groups.sort(key=lambda group: min(line.top for line in group[1]))
    return [a + d for d, a in groups]
