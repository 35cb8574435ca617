"""Runs of lines whose figures stand below each other: where a table of figures begins and ends, and its columns."""

from collections.abc import Sequence
from itertools import pairwise

from khub.components.converters.pdf.number_cells import is_number
from khub.components.converters.pdf.number_rows import Row, begins_inside, is_far, row_of

_MOST_BETWEEN = 3
_FEWEST_ROWS = 2
_FEWEST_OF_ONE = 3
_JUSTIFIED = 2.0
_PROSE = 25
_BESIDE = 5.0
"""How far a column of text is from the figures beside it at most, in font sizes."""
_MOSTLY = 0.4
_COUNTED = 3
_FARTHER = 4.5
Columns = list[list[float]]
"""The x range of each, from left to right."""


def number_run(rows: list[Row | None], start: int) -> tuple[int, Columns]:
    """Return where a table that begins at a row ends, and its columns; the same place where there is none.

    :param rows: of all lines; what is a label or a value only below the columns is set right in it.
    """
    first = rows[start]
    if first is None or not _may_begin(rows, start, first):
        return start, []
    columns: Columns = []
    last, between, place = start, 0, start
    while place < len(rows) and (row := rows[place]) is not None:
        row = rows[place] = _in_column(row, first, columns)
        if place > start and (_is_parted(rows[place - 1], row, columns) or _heads_anew(rows[place - 1], row, first)):
            break
        if row.values:
            if (wider := _fitted(columns, row)) is None:
                break
            columns, between = wider, 0
            last = place + 1 if row.figures else last
        elif between == _MOST_BETWEEN or not _may_stand_between(row, columns):
            break
        else:
            between += 1
        place += 1
    if not _is_table(rows[start:last], columns):
        return start, []
    if last < len(rows) and (rest := rows[last]) is not None and goes_on(rows[last - 1], rest):
        last += 1
    return last, columns


def goes_on(row: Row | None, rest: Row) -> bool:
    """Whether a line of words under a row is the rest of its label."""
    if row is None or row.label is None or rest.values or rest.label is None or is_far(row, rest):
        return False
    return begins_inside(rest.label.text) and rest.label.x1 < row.values[0].x0 and rest.bold == row.bold


def _is_parted(above: Row | None, row: Row, columns: Columns) -> bool:
    """Whether a row stands too far below the one above; one whose figures fill the same columns may stand farther."""
    if not is_far(above, row):
        return False
    return above is None or not row.figures or is_far(above, row, _FARTHER) or not _fills(columns, row)


def _fills(columns: Columns, row: Row) -> bool:
    hits = [sum(cell.x0 < column[1] and cell.x1 > column[0] for column in columns) for cell in row.values]
    return all(hit == 1 for hit in hits) and len(hits) * 2 > len(columns)


def _heads_anew(above: Row | None, row: Row, first: Row) -> bool:
    """Whether a row names the columns of a further table: years below other figures, or words below a line of text."""
    if row.is_years and not first.is_years and row.label is None:
        return True
    return bool(row.values) and not row.figures and (above is None or not above.values)


def _may_begin(rows: Sequence[Row | None], start: int, first: Row) -> bool:
    """Whether a table may begin at a row: it has a label, and mostly figures, which are no head of those below."""
    if first.label is None or first.figures * 2 < max(len(first.values), 1):
        return False
    below = next((row for row in rows[start + 1 : start + 4] if row is None or row.values), None)
    if first.is_years:
        return below is not None and below.is_years
    return not first.is_codes or below is None or below.is_codes


def _may_stand_between(row: Row, columns: Columns) -> bool:
    """Whether a line of words may head rows, or begin a label: it ends before the last of several columns."""
    if row.label is None or row.label.x0 > columns[0][0]:
        return False
    return row.label.x1 <= (columns[-1][0] if len(columns) > 1 else columns[0][1])


def _in_column(row: Row, first: Row, columns: Columns) -> Row:
    """Return a row whose number below the labels is its label, and whose only cell below the numbers is none."""
    if row.label is not None and not row.values and is_number(row.label.text):
        behind = bool(columns) and row.label.x1 > columns[0][0]
        return row_of(row.line, None, [row.label]) if behind else row
    if row.label is None and first.label is not None and columns and len(row.values) > 1:
        cell = row.values[0]
        if abs(cell.x0 - first.label.x0) < row.line.size and cell.x1 < columns[0][0]:
            return row_of(row.line, cell, row.values[1:])
    return row


def _fitted(columns: Sequence[Sequence[float]], row: Row) -> Columns | None:
    """Return columns widened by a row's values; None where one would stand in two, or two in one.

    Words make no column of their own but in the first row or beside figures, and widen none.
    """
    wider = [list(column) for column in columns]
    taken: set[int] = set()
    for cell in row.values:
        hits = [place for place, column in enumerate(wider) if cell.x0 < column[1] and cell.x1 > column[0]]
        if len(hits) > 1 or taken & set(hits) or not (hits or row.figures):
            return None
        if not hits:
            wider.append([cell.x0, cell.x1])
            taken.add(len(wider) - 1)
            continue
        taken.add(hits[0])
        column = wider[hits[0]]
        column[0], column[1] = min(column[0], cell.x0), max(column[1], cell.x1)
    wider.sort()
    return wider if all(one[1] <= other[0] for one, other in pairwise(wider)) else None


def _is_table(rows: Sequence[Row | None], columns: Columns) -> bool:
    """Whether rows are enough to be a table, most of them with a label."""
    filled = [row for row in rows if row and row.values]
    labelled = sum(row.label is not None for row in filled)
    fewest = _FEWEST_ROWS if len(columns) > 1 else _FEWEST_OF_ONE
    if (
        sum(row.figures > 0 for row in filled) < fewest
        or labelled * 2 < len(filled)
        or not _stands_below(rows, columns)
    ):
        return False
    if sum(row.figures for row in filled) * 2 < sum(len(row.values) for row in filled):
        return False
    crossing = sum(row.label is not None and row.label.x1 > columns[0][0] for row in filled)
    if crossing * 2 > len(filled) or _are_prose(filled):
        return False
    return not _are_contents(filled) and not _are_counted(filled)


def _are_prose(rows: Sequence[Row]) -> bool:
    """Whether labels are lines of running text, set in a column of the page beside the figures: these end alike."""
    labels = [row.label for row in rows if row.label]
    long = [label.x1 for label in labels if len(label.text) > _PROSE and not label.leads]
    first = min(row.values[0].x0 for row in rows)
    beside = [end for end in long if first - end < _BESIDE * rows[0].line.size]
    alike = max((sum(abs(one - other) < _JUSTIFIED for other in beside) for one in beside), default=0)
    return alike > 1 and alike > _MOSTLY * len(labels)


def _stands_below(rows: Sequence[Row | None], columns: Sequence[Sequence[float]]) -> bool:
    """Whether columns hold more than a number each: else these are lines of text that happen to hold some."""
    counts = [
        sum(any(cell.x0 < column[1] and cell.x1 > column[0] for cell in row.values) for row in rows if row)
        for column in columns
    ]
    return sum(count > 1 for count in counts) * 2 >= len(counts)


def _are_contents(rows: Sequence[Row]) -> bool:
    """Whether rows are lines of a table of contents: leaders lead to the numbers of pages, which grow."""
    led = [row for row in rows if any(cell.leads for cell in [row.label, *row.values] if cell)]
    last = [row.values[-1].text for row in rows]
    if not led or not all(text.isdecimal() for text in last) or any(row.figures > 1 for row in rows):
        return False
    return all(int(one) <= int(other) for one, other in pairwise(last))


def _are_counted(rows: Sequence[Row]) -> bool:
    """Whether the only figures are the numbers of lines of text: each is the next one's, less one."""
    numbers = [int(row.values[-1].text) for row in rows if row.figures == 1 and row.values[-1].text.isdecimal()]
    if len(numbers) < _COUNTED or len(numbers) * 2 < len(rows):
        return False
    return sum(other - one == 1 for one, other in pairwise(numbers)) > _MOSTLY * 2 * (len(numbers) - 1)
