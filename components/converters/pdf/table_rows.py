"""Lines of a table without drawn cells, merged to rows: a cell may run over several lines."""

from collections.abc import Sequence
from itertools import pairwise
from statistics import median

from khub.components.converters.pdf.hyphens import Hyphens
from khub.components.converters.pdf.layout import Ruling, Segment
from khub.components.converters.pdf.lines import Line
from khub.components.converters.pdf.number_cells import is_figure
from khub.components.converters.pdf.tables import cell_text

_JUMP = 2.0
_MOSTLY = 0.6
Grid = list[list[list[Segment]]]


def merge_rows(lines: Sequence[Line], grid: Grid, rulings: Sequence[Ruling], hyphens: Hyphens) -> list[list[str]]:
    """Merge lines into rows.

    Rows are parted by lines drawn between all of them, else by wider gaps, else a line that starts no row of its own
    (its first cell is empty, or goes on in lower case) is the rest of the row above.

    :param grid: for each line and column, the segments there.
    :returns: the text of the cells.
    """
    groups = _by_rulings(lines, rulings) or _by_gaps(lines, grid) or _by_content(lines, grid)
    groups = [part for group in groups for part in _stepped(group, grid)]
    columns = len(grid[0])
    return [
        [cell_text([part for line in group for part in grid[line][column]], hyphens) for column in range(columns)]
        for group in groups
    ]


def _stepped(group: list[int], grid: Grid) -> list[list[int]]:
    """Part a row in which a column holds figures below each other: each of its lines is a row of its own."""
    columns = range(len(grid[0]))
    most = max(sum(_is_figure(grid[line][column]) for line in group) for column in columns)
    if most < 2:
        return [group]
    parts = [[group[0]]]
    for line in group[1:]:
        first = next(("".join(part.text for part in cell) for cell in grid[line] if cell), "")
        if first[:1].islower() and not any(_is_figure(cell) for cell in grid[line]):
            parts[-1].append(line)
        else:
            parts.append([line])
    return parts


def _is_figure(cell: list[Segment]) -> bool:
    return bool(cell) and is_figure("".join(part.text for part in cell).replace(" ", ""))


def _by_rulings(lines: Sequence[Line], rulings: Sequence[Ruling]) -> list[list[int]] | None:
    left, right = min(line.x0 for line in lines), max(line.x1 for line in lines)
    ys = [
        rule.top
        for rule in rulings
        if rule.top == rule.bottom and min(rule.x1, right) - max(rule.x0, left) > _MOSTLY * (right - left)
    ]
    groups: list[list[int]] = [[0]]
    for index in range(1, len(lines)):
        above, below = lines[index - 1].baseline, lines[index].baseline
        if any(above - 1 <= y <= below for y in ys):
            groups.append([])
        groups[-1].append(index)
    return groups if len(groups) >= 4 or (len(groups) >= 3 and len(lines) <= 5) else None


def _by_gaps(lines: Sequence[Line], grid: Grid) -> list[list[int]] | None:
    gaps = [_gap(lines[index - 1], lines[index]) for index in range(1, len(lines))]
    if len(gaps) < 2:
        return None
    ordered = sorted(gaps)
    jumps = [(after - before, before, after) for before, after in pairwise(ordered)]
    for jump, before, after in sorted(jumps, reverse=True)[:3]:
        if jump < _JUMP:
            break
        limit = (before + after) / 2
        joined = [index + 1 for index, gap in enumerate(gaps) if gap < limit]
        if joined and _are_rests(joined, grid):
            groups: list[list[int]] = [[0]]
            for index in range(1, len(lines)):
                if gaps[index - 1] >= limit:
                    groups.append([])
                groups[-1].append(index)
            return groups
    return None


def _gap(above: Line, below: Line) -> float:
    return below.baseline - above.baseline


def _are_rests(joined: list[int], grid: Grid) -> bool:
    """Whether the lines to be joined to the line above look like rests of cells: most leave columns empty."""
    columns = len(grid[0])
    partial = sum(
        sum(map(bool, grid[index])) < columns or sum(map(bool, grid[index - 1])) < columns for index in joined
    )
    return partial >= _MOSTLY * len(joined)


def _by_content(lines: Sequence[Line], grid: Grid) -> list[list[int]]:
    pitch = median([_gap(a, b) for a, b in pairwise(lines)] or [0.0])
    groups: list[list[int]] = [[0]]
    for index in range(1, len(lines)):
        row, above = grid[index], grid[index - 1]
        first = "".join(part.text for part in row[0])
        near = _gap(lines[index - 1], lines[index]) <= pitch + 1
        rest = (
            not row[0] and any(above[column] for column in range(len(row)) if row[column]) and _is_wrapped(row, above)
        )
        goes_on = bool(first) and first[0].islower() and bool(above[0]) and sum(map(bool, above[1:])) == 0
        if near and (rest or goes_on):
            groups[-1].append(index)
        else:
            groups.append([index])
    return groups


def _is_wrapped(row: list[list[Segment]], above: list[list[Segment]]) -> bool:
    texts = ["".join(part.text for part in cell) for cell in row if cell]
    return bool(above[0]) and not any(any(map(str.isdigit, text)) for text in texts)
