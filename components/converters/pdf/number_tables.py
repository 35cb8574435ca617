"""Tables of figures: lines that begin with a label and go on with numbers, one below the other.

A statement is hardly ever drawn with cells. What makes it a table is that its numbers stand below each other: each line
with numbers is a row, the strips in which they stand are the columns, and what stands above a strip is its head.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from components.converters.pdf.hyphens import Hyphens
from components.converters.pdf.layout import Ruling, Segment
from components.converters.pdf.lines import Line, to_lines
from components.converters.pdf.list_items import is_marker
from components.converters.pdf.number_cells import Cell, cells_of_line, is_number, is_year
from components.converters.pdf.number_heads import head_rows
from components.converters.pdf.reading_order import item_of, voted_gutters
from components.converters.pdf.tables import Table

_FARTHEST = 2.6
"""From one row's baseline to the next one's, in font sizes."""
_MOST_BETWEEN = 3
_FEWEST_ROWS = 2
_FEWEST_OF_ONE = 3
_INDENT = 0.4
_BETWEEN = 0.75
_JUSTIFIED = 2.0
_PROSE = 25
_MOSTLY = 0.4
_NEAR_EDGE = 0.12
"""A label whose line ends so near to the widest label's end, as a share of the labels' width, goes on in the next."""


@dataclass(slots=True)
class Row:
    """A line of a table.

    :param label: what stands before the numbers; None where nothing does.
    :param numbers: the cells behind it.
    """

    line: Line
    label: Cell | None
    numbers: list[Cell]

    @property
    def bold(self) -> bool:
        """Whether its label is set in bold."""
        return self.line.segments[0].bold


def take_number_tables(
    segments: list[Segment], rulings: Sequence[Ruling], hyphens: Hyphens
) -> tuple[list[Table], list[Segment]]:
    """Take the tables of figures of a page: those over its whole width, then those within its columns.

    :returns: the tables, and the segments that are in none.
    """
    words = [segment for segment in segments if not is_number("".join(word.text for word in segment.words))]
    gutters = [(left + right) / 2 for left, right in voted_gutters([item_of(*each) for each in enumerate(words)])]
    tables, rest = _taken(segments, rulings, hyphens, gutters)
    for gutter in gutters:
        left = [segment for segment in rest if segment.x1 <= gutter]
        right = [segment for segment in rest if segment.x0 >= gutter]
        across = [segment for segment in rest if segment.x0 < gutter < segment.x1]
        of_left, left = _taken(left, rulings, hyphens, ())
        of_right, right = _taken(right, rulings, hyphens, ())
        tables, rest = [*tables, *of_left, *of_right], [*left, *right, *across]
    return tables, rest


def _taken(
    segments: Sequence[Segment], rulings: Sequence[Ruling], hyphens: Hyphens, gutters: Sequence[float]
) -> tuple[list[Table], list[Segment]]:
    """Take the tables among segments.

    :param gutters: x of strips between columns of the page; a row that begins behind one is no row over all of them.
    """
    lines = to_lines(segments)
    tables: list[Table] = []
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
        labels = [row.label.x0 for line in inside if (row := _row(line)) and row.label and row.numbers]
        if not any(thing.box[0] < gutter < label for label in labels for gutter in gutters):
            tables.append(thing)
            gone.update(id(segment) for line in inside for segment in line.segments)
    return tables, [segment for segment in segments if id(segment) not in gone]


def find_number_tables(lines: Sequence[Line], rulings: Sequence[Ruling], hyphens: Hyphens) -> list[Line | Table]:
    """Find tables of figures among lines.

    :param lines: from top to bottom.
    :returns: what was given, with the lines of each table replaced by it.
    """
    rows = [_row(line) for line in lines]
    found: list[Line | Table] = []
    place = free = 0
    while place < len(lines):
        end, columns = _run(rows, place)
        if end == place:
            place += 1
            continue
        first = _first_of_body(rows, free, place, columns)
        left = min(row.label.x0 for row in rows[place:end] if row and row.label)
        start, head = head_rows(lines, free, first, left, columns, rulings)
        if start == first:  # without a head above them, words without numbers are rather text
            first = start = _first_of_body(rows, free, place, columns, led=True)
        found += lines[free:start]
        found.append(_table(lines[start:end], rows[first:end], head, columns, hyphens))
        place = free = end
    return [*found, *lines[free:]]


def _first_of_body(
    rows: Sequence[Row | None], least: int, first: int, columns: Sequence[Sequence[float]], led: bool = False
) -> int:
    """Return the first row of a table: words above its first numbers that head the rows below.

    :param led: whether they have to say so by a colon.
    """
    start = first
    while start > max(least, first - _MOST_BETWEEN):
        row = rows[start - 1]
        if row is None or row.numbers or row.label is None or row.label.x1 > columns[0][0]:
            break
        if _is_far(row, rows[start]) or (led and not row.label.text.endswith((":", "："))):
            break
        start -= 1
    return start


def _row(line: Line) -> Row | None:
    """Read a line as label and numbers; None where it is none."""
    if line.mono or line.rtl:
        return None
    cells = _marked(cells_of_line(line))
    if not cells:
        return None
    label = cells[0] if _is_label(cells) else None
    numbers = cells if label is None else cells[1:]
    if not all(is_number(cell.text) for cell in numbers):
        return None
    return Row(line, label, numbers)


def _marked(cells: list[Cell]) -> list[Cell]:
    """Put the mark of an item, such as A. or 1., with the label that it marks."""
    if len(cells) > 1 and is_marker(cells[0].text) and not is_number(cells[1].text):
        return [Cell(cells[0].x0, cells[1].x1, f"{cells[0].text} {cells[1].text}", cells[1].leads), *cells[2:]]
    return cells


def _is_label(cells: Sequence[Cell]) -> bool:
    """Whether the first cell of a line is no figure of it: a year may head a row as well as a column."""
    first, *others = cells
    if not others or not is_number(first.text) or first.leads:
        return True
    return is_year(first.text) and not any(is_year(other.text) for other in others)


def _run(rows: list[Row | None], start: int) -> tuple[int, list[list[float]]]:
    """Return where a table that begins at a row ends, and its columns; the same place where there is none."""
    first = rows[start]
    if first is None or first.label is None or not first.numbers:
        return start, []
    columns: list[list[float]] = []
    left, labels = first.label.x0, 0.0
    last, between, place = start, 0, start
    while place < len(rows):
        row = rows[place]
        if row is None or (place > start and _is_far(rows[place - 1], row)):
            break
        row = rows[place] = _in_column(row, left, columns)
        if row.numbers:
            wider = _fitted(columns, row)
            if wider is None or (row.label is not None and row.label.x1 > min(column[0] for column in wider)):
                break
            if labels > min(column[0] for column in wider):
                break
            columns, last, between = wider, place + 1, 0
            labels = max(labels, row.label.x1 if row.label else 0.0)
        else:
            between += 1
            if between > _MOST_BETWEEN or row.label is None or row.label.x0 > columns[0][0]:
                break
        place += 1
    if not _is_table(rows[start:last], columns):
        return start, []
    if last < len(rows) and (rest := rows[last]) is not None and _goes_on(rows[last - 1], rest):
        last += 1
    return last, columns


def _in_column(row: Row, left: float, columns: Sequence[Sequence[float]]) -> Row:
    """Return a row whose number below the labels is its label, and whose only cell below the numbers is none."""
    if row.label is not None and not row.numbers and is_number(row.label.text):
        behind = bool(columns) and row.label.x1 > columns[0][0]
        return Row(row.line, None, [row.label]) if behind else row
    if row.label is None and columns and len(row.numbers) > 1:
        first = row.numbers[0]
        if abs(first.x0 - left) < row.line.size and first.x1 < columns[0][0]:
            return Row(row.line, first, row.numbers[1:])
    return row


def _is_far(above: Row | None, row: Row | None) -> bool:
    if above is None or row is None:
        return True
    return row.line.baseline - above.line.baseline > _FARTHEST * max(row.line.size, above.line.size)


def _fitted(columns: Sequence[Sequence[float]], row: Row) -> list[list[float]] | None:
    """Return columns widened by a row's numbers; None where one would stand in two, or two in one."""
    wider = [list(column) for column in columns]
    taken: set[int] = set()
    for cell in row.numbers:
        hits = [place for place, column in enumerate(wider) if cell.x0 < column[1] and cell.x1 > column[0]]
        if len(hits) > 1 or taken & set(hits):
            return None
        if hits:
            column = wider[hits[0]]
            column[0], column[1] = min(column[0], cell.x0), max(column[1], cell.x1)
            taken.add(hits[0])
        else:
            wider.append([cell.x0, cell.x1])
            taken.add(len(wider) - 1)
    wider.sort()
    return wider if all(one[1] <= other[0] for one, other in pairwise(wider)) else None


def _is_table(rows: Sequence[Row | None], columns: Sequence[Sequence[float]]) -> bool:
    """Whether rows are enough to be a table, most of them with a label."""
    figures = [row for row in rows if row and row.numbers]
    labelled = sum(row.label is not None for row in figures)
    fewest = _FEWEST_ROWS if len(columns) > 1 else _FEWEST_OF_ONE
    if len(figures) < fewest or labelled * 2 < len(figures) or not _stands_below(rows, columns):
        return False
    return not _are_prose(figures) and (len(columns) > 1 or not _are_contents(rows))


def _are_prose(rows: Sequence[Row]) -> bool:
    """Whether labels are lines of running text, set in a column of the page beside the figures: these end alike."""
    labels = [row.label for row in rows if row.label]
    long = [label.x1 for label in labels if len(label.text) > _PROSE and not label.leads]
    alike = max((sum(abs(one - other) < _JUSTIFIED for other in long) for one in long), default=0)
    return alike > 1 and alike > _MOSTLY * len(labels)


def _stands_below(rows: Sequence[Row | None], columns: Sequence[Sequence[float]]) -> bool:
    """Whether columns hold more than a number each: else these are lines of text that happen to hold some."""
    counts = [
        sum(any(cell.x0 < column[1] and cell.x1 > column[0] for cell in row.numbers) for row in rows if row)
        for column in columns
    ]
    return sum(count > 1 for count in counts) * 2 >= len(counts)


def _are_contents(rows: Sequence[Row | None]) -> bool:
    """Whether rows are lines of a table of contents: leaders lead to the numbers of pages."""
    led = [row for row in rows if row and row.numbers and row.label and row.label.leads]
    return len(led) * 2 > len(rows) and all(row.numbers[0].text.isdecimal() for row in led)


def _goes_on(row: Row | None, rest: Row) -> bool:
    """Whether a line of words under the last row is the rest of its label."""
    if row is None or row.label is None or rest.numbers or rest.label is None or _is_far(row, rest):
        return False
    return _begins_inside(rest.label.text) and rest.label.x1 < row.numbers[0].x0 and rest.bold == row.bold


def _table(
    lines: Sequence[Line], rows: Sequence[Row | None], head: list[str], columns: list[list[float]], hyphens: Hyphens
) -> Table:
    body = [row for row in rows if row is not None]
    texts = [head, *_body(body, columns, hyphens)]
    box = (
        min(line.x0 for line in lines),
        min(line.top for line in lines),
        max(line.x1 for line in lines),
        max(line.bottom for line in lines),
    )
    cuts = [(one[1] + other[0]) / 2 for one, other in pairwise(columns)]
    return Table(texts, box, [box[0], columns[0][0], *cuts, columns[-1][1]], lines[0].bold)


def _body(rows: Sequence[Row], columns: Sequence[Sequence[float]], hyphens: Hyphens) -> list[list[str]]:
    """Return the rows; a label over several lines belongs to the line with its numbers."""
    found: list[list[str]] = []
    width = max((row.label.x1 for row in rows if row.label), default=0.0)
    left = min((row.label.x0 for row in rows if row.label), default=0.0)
    open_label = ""
    before: Row | None = None
    for place, row in enumerate(rows):
        label = row.label.text if row.label else ""
        if row.numbers and label == "" and before is not None and _is_beside(before, row, found[-1], columns):
            found[-1] = [one or other for one, other in zip(found[-1], ["", *_placed(row, columns)], strict=True)]
            continue
        if row.numbers:
            label = hyphens.join_two(open_label, label) if open_label and label else open_label or label
            found.append([label, *_placed(row, columns)])
            open_label = ""
        elif before is not None and before.numbers and _goes_on(before, row):
            found[-1][0] = hyphens.join_two(found[-1][0], label)
        elif place + 1 < len(rows) and _leads_on(row, rows[place + 1], left, width):
            open_label = hyphens.join_two(open_label, label) if open_label else label
        else:
            found.append([hyphens.join_two(open_label, label) if open_label else label, *[""] * len(columns)])
            open_label = ""
        before = row
    return found


def _is_beside(above: Row, row: Row, cells: Sequence[str], columns: Sequence[Sequence[float]]) -> bool:
    """Whether figures that stand between two lines, for both of them, go with the upper one."""
    near = row.line.baseline - above.line.baseline < _BETWEEN * row.line.size
    return near and not any(one and other for one, other in zip(cells[1:], _placed(row, columns), strict=True))


def _has_mark(row: Row) -> bool:
    return row.label is not None and is_marker(row.label.text.split(maxsplit=1)[0])


def _begins_inside(text: str) -> bool:
    """Whether a line begins within a sentence, and not with the mark of an item, such as c)."""
    return text[0].islower() and not is_marker(text.split(maxsplit=1)[0])


def _leads_on(row: Row, below: Row, left: float, width: float) -> bool:
    """Whether a label without numbers goes on in the next line, and is no heading of the rows below."""
    if row.label is None or below.label is None or row.label.text.endswith((":", "：")):
        return False
    if row.bold != below.bold:
        return False
    if _begins_inside(below.label.text) or (row.bold and below.numbers):  # bold words head what is not bold
        return True
    indented = below.label.x0 > row.label.x0 + _INDENT * row.line.size
    if indented and _has_mark(row) and not _has_mark(below):  # an item of several lines hangs behind its mark
        return True
    if not below.numbers and indented and row.bold and not below.label.text.endswith((":", "：")):
        return True
    full = row.label.x1 > width - _NEAR_EDGE * (width - left)
    return full and indented and not below.label.text[0].isupper()


def _placed(row: Row, columns: Sequence[Sequence[float]]) -> list[str]:
    texts = [""] * len(columns)
    for cell in row.numbers:
        place = next(at for at, column in enumerate(columns) if cell.x0 < column[1] and cell.x1 > column[0])
        texts[place] = cell.text
    return texts
