"""Tables of figures: lines that begin with a label and go on with numbers, one below the other.

A statement is hardly ever drawn with cells. What makes it a table is that its numbers stand below each other: each line
with numbers is a row, the strips in which they stand are the columns, and what stands above a strip is its head.
"""

import re
from collections.abc import Sequence
from itertools import pairwise

from khub.components.converters.pdf.hyphens import Hyphens
from khub.components.converters.pdf.layout import Ruling
from khub.components.converters.pdf.lines import Line
from khub.components.converters.pdf.number_bodies import body_rows
from khub.components.converters.pdf.number_heads import head_rows
from khub.components.converters.pdf.number_rows import Row, is_far, read_row
from khub.components.converters.pdf.number_runs import Columns, number_run
from khub.components.converters.pdf.tables import Table

_MOST_ABOVE = 3
_PROSE_STEP = 1.5
_FEWEST = 2
_DIGIT = re.compile(r"\d")
_SOON = 6.0
"""From one table's last baseline to the first one of a table that goes on in its columns, in font sizes."""


def find_number_tables(lines: Sequence[Line], rulings: Sequence[Ruling], hyphens: Hyphens) -> list[Line | Table]:
    """Find tables of figures among lines.

    :param lines: from top to bottom.
    :returns: what was given, with the lines of each table replaced by it.
    """
    if sum(_DIGIT.search(line.text) is not None for line in lines) < _FEWEST:
        return list(lines)
    rows = [read_row(line) for line in lines]
    found: list[Line | Table] = []
    before: tuple[Columns, list[str], float] | None = None
    place = free = 0
    while place < len(lines):
        end, columns = number_run(rows, place)
        if end == place:
            place += 1
            continue
        first = _first_of_body(rows, free, place, columns)
        left = min(row.label.x0 for row in rows[place:end] if row and row.label)
        start, head = head_rows(lines, free, first, left, columns, rulings)
        if start == first:  # without a head above them, words without numbers are rather text
            first = start = _first_of_body(rows, free, place, columns, led=True)
            if before and (shared := _shared(before, columns, lines[start])):
                columns, head = shared, list(before[1])
        found += lines[free:start]
        table = _table(lines[start:end], rows[first:end], head, columns, hyphens)
        if found and isinstance(last := found[-1], Table) and last.rows[0] == table.rows[0]:
            _join(last, table)
        else:
            found.append(table)
        before = columns, head, lines[end - 1].baseline
        place = free = end
    return [*found, *lines[free:]]


def _shared(before: tuple[Columns, list[str], float], columns: Columns, line: Line) -> Columns | None:
    """Return the columns of the table above, widened, if a table without a head goes on in them soon below it."""
    whole = [list(column) for column in before[0]]
    if line.baseline - before[2] > _SOON * line.size or not any(before[1]):
        return None
    taken: set[int] = set()
    for one in columns:
        hits = [place for place, other in enumerate(whole) if one[0] < other[1] and one[1] > other[0]]
        if len(hits) != 1 or hits[0] in taken:
            return None
        taken.add(hits[0])
        whole[hits[0]] = [min(whole[hits[0]][0], one[0]), max(whole[hits[0]][1], one[1])]
    return whole if all(one[1] <= other[0] for one, other in pairwise(whole)) else None


def _join(table: Table, rest: Table) -> None:
    """Put the rows of a table that goes on to those above."""
    one, other = table.box, rest.box
    table.rows += rest.rows[1:]
    table.box = (min(one[0], other[0]), one[1], max(one[2], other[2]), other[3])
    table.edges = rest.edges


def _first_of_body(rows: Sequence[Row | None], least: int, first: int, columns: Columns, led: bool = False) -> int:
    """Return the first row of a table: words above its first numbers that head the rows below.

    :param led: whether they have to say so by a colon.
    """
    start = first
    while start > max(least, first - _MOST_ABOVE):
        row = rows[start - 1]
        if row is None or row.values or row.label is None or row.label.x1 > columns[0][0]:
            break
        if is_far(row, rows[start]) or (led and not row.label.text.endswith((":", "："))):
            break
        start -= 1
    return first if start > least and _goes_on_in_prose(rows[start - 1], rows[start], columns) else start


def _goes_on_in_prose(above: Row | None, row: Row | None, columns: Columns) -> bool:
    """Whether a line of words is the last one of a paragraph, whose lines reach over the columns."""
    if above is None or row is None or above.values or above.label is None or row.values:
        return False
    near = row.line.baseline - above.line.baseline < _PROSE_STEP * row.line.size
    return near and above.label.x1 > columns[-1][0]


def _table(
    lines: Sequence[Line], rows: Sequence[Row | None], head: list[str], columns: Columns, hyphens: Hyphens
) -> Table:
    body = [row for row in rows if row is not None]
    texts = [head, *body_rows(body, columns, hyphens)]
    box = (
        min(line.x0 for line in lines),
        min(line.top for line in lines),
        max(line.x1 for line in lines),
        max(line.bottom for line in lines),
    )
    cuts = [(one[1] + other[0]) / 2 for one, other in pairwise(columns)]
    return Table(texts, box, [box[0], columns[0][0], *cuts, columns[-1][1]], lines[0].bold)
