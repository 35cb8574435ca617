"""Tables without drawn cells that go over several columns of a page; found before the page is cut into columns."""

from collections import Counter
from collections.abc import Sequence

from khub.components.converters.pdf.hyphens import Hyphens
from khub.components.converters.pdf.layout import Ruling, Segment
from khub.components.converters.pdf.lines import Line, to_lines
from khub.components.converters.pdf.list_items import split_marker
from khub.components.converters.pdf.reading_order import item_of, voted_gutters
from khub.components.converters.pdf.scripts import cjk_share
from khub.components.converters.pdf.tables import Table
from khub.components.converters.pdf.unruled_tables import cells_of, find_tables

_FEWEST_CELLS = 3
_FEWEST_ROWS = 3
_LONGEST = 42
_BETWEEN = 2
_BESIDE = 0.5


def find_wide_tables(
    segments: list[Segment], rulings: Sequence[Ruling], hyphens: Hyphens
) -> tuple[list[Table], list[Segment]]:
    """Find stretches of lines that are all made of three short cells or more.

    :returns: the tables, and the segments that are in none.
    """
    rows = Counter(round(segment.baseline) for segment in segments)
    if sum(count > 1 for count in rows.values()) < _FEWEST_ROWS:
        return [], segments
    lines = to_lines(segments)
    runs = _runs(lines)
    gutters = voted_gutters([item_of(place, segment) for place, segment in enumerate(segments)]) if runs else []
    tables: list[Table] = []
    gone: set[int] = set()
    for start, end in runs:
        for thing in find_tables(lines[start:end], rulings, hyphens):
            if isinstance(thing, Table) and len(thing.rows) >= _FEWEST_ROWS and len(thing.rows[0]) >= _FEWEST_CELLS:
                inside = [line for line in lines[start:end] if thing.box[1] <= line.top <= thing.box[3]]
                if any(_is_parted(inside, gutter) for gutter in gutters):
                    continue
                tables.append(thing)
                gone.update(id(segment) for line in inside for segment in line.segments)
    return tables, [segment for segment in segments if id(segment) not in gone]


def _runs(lines: Sequence[Line]) -> list[tuple[int, int]]:
    runs: list[tuple[int, int]] = []
    position = 0
    while position < len(lines):
        if not _is_cells(lines[position]):
            position += 1
            continue
        end = last = position + 1
        count = 1
        while end < len(lines) and end - last <= _BETWEEN and _is_short(lines[end]):
            if _is_cells(lines[end]):
                count, last = count + 1, end + 1
            end += 1
        if count >= _FEWEST_ROWS:
            runs.append((position, last))
        position = last
    return runs


def _is_parted(lines: Sequence[Line], gutter: tuple[float, float]) -> bool:
    """Whether lines are two columns of a page, of which only some stand side by side, and no rows over both."""
    middle = (gutter[0] + gutter[1]) / 2
    marked = sum(split_marker(line.text) is not None for line in lines if line.x0 < middle)
    if marked > _BESIDE * sum(line.x0 < middle for line in lines):
        return True
    beside = sum(line.x0 < middle < line.x1 for line in lines)
    return any(line.x0 < middle < line.x1 for line in lines) and beside < _BESIDE * len(lines)


def _is_cells(line: Line) -> bool:
    return not line.mono and _is_short(line) and len(cells_of(line)) >= _FEWEST_CELLS


def _is_short(line: Line) -> bool:
    return all(len(text) * (1 + cjk_share(text)) <= _LONGEST for text in (segment.text for segment in line.segments))
