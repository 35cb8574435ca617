"""Tables drawn with lines: the grid of ruling lines gives the cells."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace

from components.converters.blocks import Box
from components.converters.pdf.drawn_forms import Form, Place, is_form, read_form
from components.converters.pdf.hyphens import Hyphens
from components.converters.pdf.layout import Ruling, Segment
from components.converters.pdf.lines import to_lines
from components.converters.pdf.merged_cells import part_merged
from components.converters.pdf.number_cells import cells_of_line, is_figure, is_number
from components.converters.pdf.number_tables import find_number_tables
from components.converters.pdf.stepped_rows import stepped_rows
from components.converters.pdf.tables import Table, cell_text, split_at

_SNAP = 4.0
_TOUCH = 4.0
_MOST_LINES = 1500
_MOST_COLUMNS = 40
_MOST_CELLS = 6000
_COVERED = 0.55
_LEAST_FILLED = 0.15
_OVERHANG = 12.0
_FINER = 0.5
_FEW = 2
_LABELLED = 0.6


def find_ruled_tables(
    segments: Sequence[Segment], rulings: Sequence[Ruling], hyphens: Hyphens
) -> tuple[list[Table | Form], list[Segment]]:
    """Find the tables whose cells are drawn, and forms.

    :returns: the tables and forms, and the segments that are in none.
    """
    tables: list[Table | Form] = []
    left = list(segments)
    for group in _connected(_merged(rulings)):
        table, left = _read(group, left, hyphens)
        if table is not None:
            tables.append(table)
    return tables, left


def _read(group: list[Ruling], segments: list[Segment], hyphens: Hyphens) -> tuple[Table | Form | None, list[Segment]]:
    across = [line for line in group if line.top == line.bottom]
    down = [line for line in group if line.x0 == line.x1]
    xs = _snapped([line.x0 for line in down])
    ys = _snapped([line.top for line in across])
    if not xs or not ys:
        return None, segments
    xs = _with_ends(xs, min(line.x0 for line in across), max(line.x1 for line in across))
    ys = _with_ends(ys, min(line.top for line in down), max(line.bottom for line in down))
    if len(xs) < 3 or len(ys) < 3 or len(xs) > _MOST_COLUMNS or (len(xs) - 1) * (len(ys) - 1) > _MOST_CELLS:
        return None, segments
    inside, outside = _parted(segments, (xs[0] - 2, ys[0] - 2, xs[-1] + 2, ys[-1] + 2))
    if _is_finer(inside, group, len(xs) - 1, hyphens) or _lacks_labels(inside, outside, xs[0]):
        return None, segments
    owners = _cells(xs, ys, across, down)
    content: dict[tuple[int, int], list[Segment]] = defaultdict(list)
    for segment in inside:
        row = _slot(ys, (segment.top + segment.bottom) / 2)
        for column, part in split_at(segment, xs[1:-1]):
            content[owners[row, column]].append(part)
    if is_form(len(ys) - 1, len(xs) - 1, owners):
        ends = {owner: xs[column + 1] for (_, column), owner in sorted(owners.items())}
        return read_form((xs[0], ys[0], xs[-1], ys[-1]), content, ends), outside
    parted = part_merged(content, owners, xs, ys)
    texts = {owner: cell_text(parts, hyphens) for owner, parts in content.items()}
    for place, parts in parted.items():  # it stands there for itself, below what spans the columns
        texts[place] = " ".join(filter(None, [texts.get(place, ""), cell_text(parts, hyphens)]))
    heads = _heads(len(ys) - 1, len(xs) - 1, owners, texts)
    head = [_head_text(column, heads, owners, texts) for column in range(len(xs) - 1)]
    places = range(heads, len(ys) - 1)
    rows = [head, *(row for place in places for row in _rows(place, len(xs) - 1, content, owners, texts, hyphens))]
    rows, edges = _without_empty(rows, xs)
    if not _is_table(rows, texts):
        return None, segments
    bold = [part.bold for (row, _), parts in content.items() if row == 0 for part in parts]
    return Table(rows, (xs[0], ys[0], xs[-1], ys[-1]), edges, bool(bold) and all(bold)), outside


def _is_finer(segments: Sequence[Segment], group: Sequence[Ruling], columns: int, hyphens: Hyphens) -> bool:
    """Whether figures stand in more columns than are drawn: then the lines part groups of them, and are no grid."""
    lines = to_lines(segments)
    found = find_number_tables(lines, group, hyphens)
    tables = [thing for thing in found if isinstance(thing, Table) and len(thing.rows[0]) > columns]
    return sum(len(table.rows) for table in tables) > _FINER * len(lines)


def _lacks_labels(inside: Sequence[Segment], outside: Sequence[Segment], left: float) -> bool:
    """Whether rows of figures have their labels to the left of what is drawn: then it is no grid, but a background."""
    lines = [(line.baseline, cells_of_line(line)) for line in to_lines(inside)]
    rows = [baseline for baseline, cells in lines if cells and is_figure(cells[-1].text)]
    before = [part for part in outside if part.x1 <= left + _SNAP and sum(map(str.isalpha, part.text)) > 1]
    beside = [part.x1 for part in before if any(abs(part.baseline - row) < _SNAP / 2 for row in rows)]
    alike = max((sum(abs(one - other) < 1 for other in beside) for one in beside), default=0)
    return len(rows) > _FEW and len(beside) > _LABELLED * len(rows) and alike <= len(beside) / 2


def _heads(rows: int, columns: int, owners: Mapping[Place, Place], texts: Mapping[Place, str]) -> int:
    """Return how many rows of the grid are its head: below a head that spans some columns stand those of each."""
    count = 1
    while count < rows - 1:
        above = {owners[count - 1, column] for column in range(columns)}
        below = [texts.get((count, column)) or texts.get(owners[count, column], "") for column in range(columns)]
        if not 1 < len(above) < columns or any(map(is_number, below)):
            break
        count += 1
    return count


def _head_text(column: int, heads: int, owners: Mapping[Place, Place], texts: Mapping[Place, str]) -> str:
    cells = dict.fromkeys(place for row in range(heads) for place in (owners[row, column], (row, column)))
    return " ".join(text for cell in cells if (text := texts.get(cell, "")))


def _rows(
    place: int,
    columns: int,
    content: Mapping[Place, list[Segment]],
    owners: Mapping[Place, Place],
    texts: Mapping[Place, str],
    hyphens: Hyphens,
) -> list[list[str]]:
    """Return the rows that a row of the grid holds; a merged cell stands in its first place alone."""
    own = {
        column: content.get((place, column), [])
        for column in range(columns)
        if owners[place, column] == (place, column)
    }
    merged = len(own) < columns or any(owners.get((place + 1, column)) == (place, column) for column in own)
    steps = stepped_rows(own) if not merged else []
    if len(steps) > 1:
        return [[cell_text(step.get(column, []), hyphens) for column in range(columns)] for step in steps]
    return [[texts.get((place, column), "") for column in range(columns)]]


def _is_table(rows: list[list[str]], texts: dict[tuple[int, int], str]) -> bool:
    if len(rows) < 2 or len(rows[0]) < 2:
        return False
    written = sum(1 for text in texts.values() if text)
    return written >= 3 and written >= _LEAST_FILLED * len(rows) * len(rows[0])


def _without_empty(rows: list[list[str]], xs: list[float]) -> tuple[list[list[str]], list[float]]:
    """Drop rows and columns that hold nothing: the strips between double lines."""
    rows = [row for row in rows if any(row)]
    keep = [column for column in range(len(xs) - 1) if any(row[column] for row in rows)]
    edges = [xs[column] for column in keep] + [xs[keep[-1] + 1] if keep else xs[-1]]
    return [[row[column] for column in keep] for row in rows], edges


def _cells(
    xs: list[float], ys: list[float], across: list[Ruling], down: list[Ruling]
) -> dict[tuple[int, int], tuple[int, int]]:
    """Map each place of the grid to the top left place of the cell that covers it."""
    owners: dict[tuple[int, int], tuple[int, int]] = {}
    columns, rows = len(xs) - 1, len(ys) - 1
    for row in range(rows):
        for column in range(columns):
            if (row, column) in owners:
                continue
            right = column
            while (
                right + 1 < columns
                and (row, right + 1) not in owners
                and not _drawn(
                    [(d.top, d.bottom) for d in down if abs(d.x0 - xs[right + 1]) <= _SNAP], ys[row], ys[row + 1]
                )
            ):
                right += 1
            bottom = row
            while bottom + 1 < rows and not _drawn(
                [(a.x0, a.x1) for a in across if abs(a.top - ys[bottom + 1]) <= _SNAP], xs[column], xs[right + 1]
            ):
                bottom += 1
            for y in range(row, bottom + 1):
                for x in range(column, right + 1):
                    owners.setdefault((y, x), (row, column))
    return owners


def _drawn(parts: list[tuple[float, float]], start: float, end: float) -> bool:
    covered = sum(max(0.0, min(end, b) - max(start, a)) for a, b in parts)
    return covered >= _COVERED * (end - start)


def _slot(edges: list[float], position: float) -> int:
    for index in range(len(edges) - 2):
        if position < edges[index + 1]:
            return index
    return len(edges) - 2


def _parted(segments: list[Segment], box: Box) -> tuple[list[Segment], list[Segment]]:
    inside: list[Segment] = []
    outside: list[Segment] = []
    for segment in segments:
        y = (segment.top + segment.bottom) / 2
        if not box[1] <= y <= box[3] or segment.x1 <= box[0] or segment.x0 >= box[2]:
            outside.append(segment)
            continue
        words = [word for word in segment.words if box[0] <= (word.x0 + word.x1) / 2 <= box[2]]
        if len(words) == len(segment.words):
            inside.append(segment)
        elif words:
            rest = [word for word in segment.words if word not in words]
            inside.append(replace(segment, words=words, x0=words[0].x0, x1=words[-1].x1))
            outside.append(replace(segment, words=rest, x0=rest[0].x0, x1=rest[-1].x1))
        else:
            outside.append(segment)
    return inside, outside


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
