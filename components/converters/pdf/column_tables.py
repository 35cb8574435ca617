"""Tables of figures of a whole page: those over its whole width first, then those within its columns."""

from collections.abc import Sequence
from dataclasses import dataclass

from khub.components.converters.pdf.hyphens import Hyphens
from khub.components.converters.pdf.layout import Ruling, Segment
from khub.components.converters.pdf.lines import Line, to_lines
from khub.components.converters.pdf.number_cells import is_number
from khub.components.converters.pdf.number_rows import Row, read_row
from khub.components.converters.pdf.number_tables import find_number_tables
from khub.components.converters.pdf.reading_order import item_of, voted_gutters
from khub.components.converters.pdf.tables import Table

_SAME = 2.0
_BESIDE = 0.5
_FEWEST = 2


@dataclass(frozen=True, slots=True)
class _Found:
    """A table, its rows of figures, and the segments that are in it."""

    table: Table
    rows: list[Row]
    segments: list[Segment]

    @property
    def is_labelled(self) -> bool:
        """Whether most rows begin with words: then it stands for itself, whatever stands beside it."""
        named = sum(row.label is not None and sum(map(str.isalpha, row.label.text)) > 1 for row in self.rows)
        return named > _BESIDE * len(self.rows)


def take_number_tables(
    segments: list[Segment], rulings: Sequence[Ruling], hyphens: Hyphens
) -> tuple[list[Table], list[Segment]]:
    """Take the tables of figures of a page.

    :returns: the tables, and the segments that are in none.
    """
    if not _may_hold_rows(segments):
        return [], segments
    words = [segment for segment in segments if not is_number("".join(word.text for word in segment.words))]
    gutters = [(left + right) / 2 for left, right in voted_gutters([item_of(*each) for each in enumerate(words)])]
    found, rest = _taken(segments, rulings, hyphens, gutters)
    tables = [each.table for each in found]
    for gutter in gutters if _may_hold_rows(rest) else ():
        left = [segment for segment in rest if segment.x1 <= gutter]
        right = [segment for segment in rest if segment.x0 >= gutter]
        across = [segment for segment in rest if segment.x0 < gutter < segment.x1]
        of_left, left = _taken(left, rulings, hyphens, ())
        of_right, right = _taken(right, rulings, hyphens, ())
        own = [*_own(of_left, [*right, *_unnamed(of_right)]), *_own(of_right, [*left, *_unnamed(of_left)])]
        tables += [each.table for each in own]
        other = [segment for each in (*of_left, *of_right) if each not in own for segment in each.segments]
        rest = [*left, *right, *across, *other]
    return tables, rest


def _may_hold_rows(segments: Sequence[Segment]) -> bool:
    """Whether more than one line ends in a figure: most pages of text need no further look."""
    ends = ("".join(word.text for word in segment.words[-2:]) for segment in segments)
    return sum(any(map(str.isdigit, end)) for end in ends) >= _FEWEST


def _own(found: Sequence[_Found], other: Sequence[Segment]) -> list[_Found]:
    """Return the tables of one column of a page, those left out whose rows go on in the other one."""
    beside = [segment.baseline for segment in other]
    return [
        each
        for each in found
        if sum(any(abs(row.line.baseline - one) < _SAME for one in beside) for row in each.rows)
        <= _BESIDE * len(each.rows)
    ]


def _unnamed(found: Sequence[_Found]) -> list[Segment]:
    return [segment for each in found if not each.is_labelled for segment in each.segments]


def _taken(
    segments: Sequence[Segment], rulings: Sequence[Ruling], hyphens: Hyphens, gutters: Sequence[float]
) -> tuple[list[_Found], list[Segment]]:
    """Take the tables among segments.

    :param gutters: x of strips between columns of the page; a row that begins behind one is no row over all of them,
        nor is one of a table that ends before it and has text behind it.
    """
    if not _may_hold_rows(segments):
        return [], list(segments)
    lines = to_lines(segments)
    tables: list[_Found] = []
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
        own = [segment for line in inside for segment in line.segments]
        behind = any(thing.box[0] < gutter < label for label in labels for gutter in gutters)
        beside = any(thing.edges[-1] < gutter <= segment.x0 for segment in own for gutter in gutters)
        if not behind and not beside:
            tables.append(_Found(thing, rows, own))
            gone.update(map(id, own))
    return tables, [segment for segment in segments if id(segment) not in gone]
