"""Tables of figures of a whole page: those over its whole width first, then those within its columns."""

from collections.abc import Sequence

from components.converters.pdf.hyphens import Hyphens
from components.converters.pdf.layout import Ruling, Segment
from components.converters.pdf.lines import Line, to_lines
from components.converters.pdf.number_cells import is_number
from components.converters.pdf.number_rows import read_row
from components.converters.pdf.number_tables import find_number_tables
from components.converters.pdf.reading_order import item_of, voted_gutters
from components.converters.pdf.tables import Table

_SAME = 2.0
_BESIDE = 0.5


def take_number_tables(
    segments: list[Segment], rulings: Sequence[Ruling], hyphens: Hyphens
) -> tuple[list[Table], list[Segment]]:
    """Take the tables of figures of a page.

    :returns: the tables, and the segments that are in none.
    """
    words = [segment for segment in segments if not is_number("".join(word.text for word in segment.words))]
    gutters = [(left + right) / 2 for left, right in voted_gutters([item_of(*each) for each in enumerate(words)])]
    found, rest = _taken(segments, rulings, hyphens, gutters)
    tables = [table for table, _ in found]
    for gutter in gutters:
        left = [segment for segment in rest if segment.x1 <= gutter]
        right = [segment for segment in rest if segment.x0 >= gutter]
        across = [segment for segment in rest if segment.x0 < gutter < segment.x1]
        of_left, left = _own(left, right, rulings, hyphens)
        of_right, right = _own(right, left, rulings, hyphens)
        tables, rest = [*tables, *of_left, *of_right], [*left, *right, *across]
    return tables, rest


def _own(
    side: list[Segment], other: Sequence[Segment], rulings: Sequence[Ruling], hyphens: Hyphens
) -> tuple[list[Table], list[Segment]]:
    """Take the tables of one column of a page, those left out whose rows go on in the other one."""
    found, rest = _taken(side, rulings, hyphens, ())
    left = {id(segment) for segment in rest}
    beside = [segment.baseline for segment in other]
    own: list[Table] = []
    for table, rows in found:
        whole = sum(any(abs(row - baseline) < _SAME for baseline in beside) for row in rows)
        if whole <= _BESIDE * len(rows):
            own.append(table)
            continue
        top, bottom = table.box[1], table.box[3]
        rest += [segment for segment in side if id(segment) not in left and top - 1 <= segment.baseline <= bottom + 1]
    return own, rest


def _taken(
    segments: Sequence[Segment], rulings: Sequence[Ruling], hyphens: Hyphens, gutters: Sequence[float]
) -> tuple[list[tuple[Table, list[float]]], list[Segment]]:
    """Take the tables among segments, each with the baselines of its rows of figures.

    :param gutters: x of strips between columns of the page; a row that begins behind one is no row over all of them.
    """
    lines = to_lines(segments)
    tables: list[tuple[Table, list[float]]] = []
    gone: set[int] = set()
    place = 0
    for thing in find_number_tables(lines, rulings, hyphens):
        if isinstance(thing, Line):
            place += 1
            continue
        inside = []
        while place < len(lines) and lines[place].top < thing.box[3] - 0.1:
            inside.append(lines[place])
            place += 1
        rows = [row for line in inside if (row := read_row(line)) and row.figures]
        labels = [row.label.x0 for row in rows if row.label]
        if not any(thing.box[0] < gutter < label for label in labels for gutter in gutters):
            tables.append((thing, [row.line.baseline for row in rows]))
            gone.update(id(segment) for line in inside for segment in line.segments)
    return tables, [segment for segment in segments if id(segment) not in gone]
