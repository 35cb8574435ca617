"""Tables drawn with lines: the grid of ruling lines gives the cells."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import groupby, pairwise

from khub.components.converters.blocks import Box
from khub.components.converters.pdf.drawn_forms import Form, read_form
from khub.components.converters.pdf.grids import Grid, Place, find_grids, stretches
from khub.components.converters.pdf.hyphens import Hyphens
from khub.components.converters.pdf.layout import Ruling, Segment
from khub.components.converters.pdf.lines import to_lines
from khub.components.converters.pdf.merged_cells import part_merged, part_tall
from khub.components.converters.pdf.number_cells import cells_of_line, is_figure, is_number
from khub.components.converters.pdf.number_tables import find_number_tables
from khub.components.converters.pdf.numbered_fields import is_field, numbered_rows, one_field_a_row
from khub.components.converters.pdf.stepped_rows import stepped_rows
from khub.components.converters.pdf.tables import Table, cell_text, split_at

_SNAP = 4.0
_LEAST_FILLED = 0.15
_FINER = 0.5
_FEW = 2
_TIGHT, _THIN, _CUT = 0.35, 1.5, 0.15
_LONGEST_HEAD = 120
_LABELLED = 0.6


def find_ruled_tables(
    segments: Sequence[Segment], rulings: Sequence[Ruling], hyphens: Hyphens
) -> tuple[list[Table | Form], list[Segment]]:
    """Find the tables whose cells are drawn, and forms.

    :returns: the tables and forms, and the segments that are in none.
    """
    found: list[Table | Form] = []
    left = list(segments)
    for grid, lines in find_grids(rulings):
        inside, outside = _parted(left, grid.box)
        if _is_finer(inside, lines, grid.columns, hyphens) or _lacks_labels(inside, outside, grid.xs[0]):
            continue
        things, free = _read(grid, inside, hyphens)
        if things:
            found += things
            left = [*outside, *free]
    return found, left


def _read(grid: Grid, segments: Sequence[Segment], hyphens: Hyphens) -> tuple[list[Table | Form], list[Segment]]:
    """Return what a grid holds, and the segments that are in none of it."""
    found: list[Table | Form] = []
    free: list[Segment] = []
    for start, end, regular in stretches(grid):
        part = grid.part(start, end)
        content, inside = _content(part, segments, grid, start, end)
        if _cuts_words(part, inside):
            free += inside
        elif not regular:
            found.append(read_form(part, content))
        elif (table := _table(part, content, hyphens)) is not None:
            found.append(table)
        else:
            free += inside
    return found, free


def _content(
    part: Grid, segments: Sequence[Segment], grid: Grid, start: int, end: int
) -> tuple[dict[Place, list[Segment]], list[Segment]]:
    """Return what stands in each cell of some rows, by its top left place, and all of it."""
    content: dict[Place, list[Segment]] = defaultdict(list)
    inside = [segment for segment in segments if start <= grid.slot((segment.top + segment.bottom) / 2) < end]
    for segment in inside:
        row = part.slot((segment.top + segment.bottom) / 2)
        cuts = part.cuts(row)
        for place, piece in split_at(segment, [part.xs[cut] for cut in cuts]):
            content[part.owners[row, [0, *cuts][place]]].append(piece)
    return content, inside


def _cuts_words(grid: Grid, segments: Sequence[Segment]) -> bool:
    """Whether lines are drawn through running text: then they belong to something behind it, and are no grid."""
    cut = 0
    for segment in segments:
        row = grid.slot((segment.top + segment.bottom) / 2)
        cuts = [grid.xs[at] for at in grid.cuts(row)]
        words = sorted(segment.words, key=lambda word: word.x0)
        cut += any(
            other.x0 - one.x1 < _TIGHT * segment.size and any(one.x1 - _THIN < x < other.x0 + _THIN for x in cuts)
            for one, other in pairwise(words)
        ) or any(word.x0 + _THIN < x < word.x1 - _THIN for word in words for x in cuts)
    return cut > max(_FEW, _CUT * len(segments))


def _table(grid: Grid, content: dict[Place, list[Segment]], hyphens: Hyphens) -> Table | None:
    part_tall(content, grid.owners, grid.ys)
    parted = part_merged(content, grid.owners, grid.xs, grid.ys)
    texts = {owner: cell_text(parts, hyphens) for owner, parts in content.items()}
    for place, parts in parted.items():  # it stands there for itself, below what spans the columns
        texts[place] = " ".join(filter(None, [texts.get(place, ""), cell_text(parts, hyphens)]))
    heads = 0 if is_field(texts.get((0, 0), "")) else _heads(grid, texts)
    head = [_head_text(column, heads, grid.owners, texts) for column in range(grid.columns)]
    below = [_rows(place, grid, content, texts, hyphens) for place in range(heads, grid.rows)]
    rows = [head, *one_field_a_row([row for rows in below for row in rows])]
    rows, edges = _without_empty(rows, grid.xs)
    if not _is_table(rows, texts):
        return None
    bold = [part.bold for (row, _), parts in content.items() if row == 0 for part in parts]
    return Table(rows, grid.box, edges, bool(bold) and all(bold))


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


def _heads(grid: Grid, texts: Mapping[Place, str]) -> int:
    """Return how many rows of the grid are its head: below a head that spans some columns stand those of each."""
    count, columns = 1, range(grid.columns)
    while count < grid.rows - 1:
        above = [grid.owners[count - 1, column] for column in columns]
        below = [grid.owners[count, column] for column in columns]
        parted = any(above[at] == above[at + 1] and below[at] != below[at + 1] for at in columns[:-1])
        own = [texts.get((count, column)) or texts.get(grid.owners[count, column], "") for column in columns]
        if len(set(above)) == 1 or not parted or any(is_number(text) or len(text) > _LONGEST_HEAD for text in own):
            break
        count += 1
    return count


def _head_text(column: int, heads: int, owners: Mapping[Place, Place], texts: Mapping[Place, str]) -> str:
    cells = dict.fromkeys(place for row in range(heads) for place in (owners[row, column], (row, column)))
    return " ".join(text for cell in cells if (text := texts.get(cell, "")))


def _rows(
    place: int, grid: Grid, content: Mapping[Place, list[Segment]], texts: Mapping[Place, str], hyphens: Hyphens
) -> list[list[str]]:
    """Return the rows that a row of the grid holds; a merged cell stands in its first place alone."""
    owners, columns = grid.owners, grid.columns
    own = {
        column: content.get((place, column), [])
        for column in range(columns)
        if owners[place, column] == (place, column)
    }
    merged = len(own) < columns or any(owners.get((place + 1, column)) == (place, column) for column in own)
    steps = stepped_rows(own) if not merged else []
    if len(steps) < 2:
        steps = numbered_rows({at: parts for at in range(columns) if (parts := content.get((place, at)))})
    if len(steps) > 1:
        return [[cell_text(step.get(column, []), hyphens) for column in range(columns)] for step in steps]
    return [[texts.get((place, column), "") for column in range(columns)]]


def _is_table(rows: list[list[str]], texts: dict[tuple[int, int], str]) -> bool:
    if len(rows) < 2 or len(rows[0]) < 2:
        return False
    written = sum(1 for text in texts.values() if text)
    return written >= 3 and written >= _LEAST_FILLED * len(rows) * len(rows[0])


def _without_empty(rows: list[list[str]], xs: list[float]) -> tuple[list[list[str]], list[float]]:
    """Drop rows and columns that hold nothing, the strips between double lines, or no more than a neighbour's head."""
    rows = [row for row in rows if any(row)]
    head = rows[0] if rows else []
    filled = [any(row[column] for row in rows[1:]) for column in range(len(head))]
    keep: list[int] = []
    for text, group in groupby(range(len(head)), key=head.__getitem__):
        spanned = list(group)
        written = [column for column in spanned if filled[column]]
        keep += written or (spanned[:1] if text else [])
    edges = [xs[column] for column in keep] + [xs[keep[-1] + 1] if keep else xs[-1]]
    return [[row[column] for column in keep] for row in rows], edges


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
