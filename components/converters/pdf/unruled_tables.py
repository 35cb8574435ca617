"""Tables without drawn cells: lines whose words stand in columns."""

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from statistics import median

from khub.components.converters.pdf.hyphens import Hyphens
from khub.components.converters.pdf.layout import Ruling, Segment
from khub.components.converters.pdf.leaders import has_leaders
from khub.components.converters.pdf.lines import Line
from khub.components.converters.pdf.list_items import is_marker
from khub.components.converters.pdf.scripts import cjk_share
from khub.components.converters.pdf.table_rows import merge_rows
from khub.components.converters.pdf.tables import Table

_CELL_GAP = 0.9
_NARROWEST = 0.3
_SPLIT_GAP = 0.42
_FARTHEST = 3.4
_MOST_BETWEEN = 3
_LONGEST_CELL = 90
_SIGN = re.compile(r"[$€£¥(]|US\$|RMB")
_SIGN_GAP = re.compile(r"^([$€£¥(])\s+(?=[\d(—–-])")
_HEAD_LINES = 3
_HEAD_ALLOWED = 4
_FIELD = re.compile(r"[^\W\d_][^:：]{1,40}[:：](?:\s|$)")
_FIELD_LABEL = re.compile(r"[^\W\d_][^:：\d]{1,40}[:：](?=\s|$)")
_FIELDS = 0.6
_AFTER = re.compile(r"[%)]|\)%")


def find_tables(lines: Sequence[Line], rulings: Sequence[Ruling], hyphens: Hyphens) -> list[Line | Table]:
    """Find tables among the lines of one region.

    :param lines: from top to bottom.
    :param rulings: of the page; horizontal ones part rows.
    :returns: what was given, with the lines of each table replaced by it.
    """
    found: list[Line | Table] = []
    position = 0
    while position < len(lines):
        end = _run_end(lines, position)
        table = None
        while end - position >= 2 and table is None:
            table = _read(lines[position:end], rulings, hyphens)
            if table is None:
                # The first line may be no row of it.
                break
        if table is None:
            found.append(lines[position])
            position += 1
        else:
            found.append(table)
            position = end
    return found


def cells_of(line: Line) -> list[tuple[float, float]]:
    """Return the x ranges of the parts of a line that stand wider apart than words do."""
    words = sorted(line.words, key=lambda word: word.x0)
    gap = _CELL_GAP * line.size
    cells = [(words[0].x0, words[0].x1)]
    for word in words[1:]:
        if word.x0 - cells[-1][1] > gap:
            cells.append((word.x0, word.x1))
        else:
            cells[-1] = (cells[-1][0], max(cells[-1][1], word.x1))
    return cells


def _is_row(line: Line) -> bool:
    if line.mono or has_leaders(line.text):
        return False
    cells = cells_of(line)
    if len(cells) == 2 and is_marker(line.segments[0].words[0].text):
        return False
    return len(cells) >= 2


def _run_end(lines: Sequence[Line], start: int) -> int:
    """Return the end of the stretch of lines from `start` that may be one table; `start` when there is none."""
    if not _is_row(lines[start]):
        return start
    end = last = start + 1
    between = 0
    while end < len(lines):
        line, above = lines[end], lines[end - 1]
        if line.baseline - above.baseline > _FARTHEST * max(line.size, above.size):
            break
        if _is_row(line):
            between, last = 0, end + 1
        else:
            between += 1
            if between > _MOST_BETWEEN:
                break
        end += 1
    while last < len(lines) and last < end and _wraps(lines[start:last], lines[last]):
        last += 1
    return last


def _wraps(rows: Sequence[Line], line: Line) -> bool:
    """Whether a line under the last row is the rest of one of its cells: set like it, and indented."""
    left = min(row.x0 for row in rows)
    close = line.baseline - rows[-1].baseline < 1.5 * line.size
    return close and line.x0 > left + 3 * line.size and abs(line.size - rows[-1].size) < 0.5


def _read(lines: Sequence[Line], rulings: Sequence[Ruling], hyphens: Hyphens) -> Table | None:
    rows = [line for line in lines if _is_row(line)]
    if len(rows) < 2:
        return None
    columns = _columns(rows)
    if len(columns) < 2:
        return None
    cuts = [(a[1] + b[0]) / 2 for a, b in pairwise(columns)]
    grid = [_place(line, cuts) for line in lines]
    while (needless := _needless_cut(grid)) is not None:
        cuts.pop(needless)
        grid = [_place(line, cuts) for line in lines]
    if not _is_table(grid, len(cuts) + 1, len(rows)) or _are_fields(lines):
        return None
    cells = merge_rows(lines, grid, rulings, hyphens)
    if len(cells) < 2 or len(cells[0]) < 2:
        return None
    cells = [[_SIGN_GAP.sub(r"\1", cell) for cell in row] for row in cells]
    box = (
        min(line.x0 for line in lines),
        lines[0].top,
        max(line.x1 for line in lines),
        max(line.bottom for line in lines),
    )
    return Table(cells, box, [columns[0][0], *cuts, columns[-1][1]], lines[0].bold)


def _are_fields(lines: Sequence[Line]) -> bool:
    """Whether most lines are fields of a form, a label with a colon and its value, some of them beside each other."""
    labelled = [line for line in lines if _FIELD.match(line.text)]
    several = sum(len(_FIELD_LABEL.findall(line.text)) > 1 for line in lines)
    return len(labelled) > _FIELDS * len(lines) and (several > 0 or len({len(cells_of(line)) for line in lines}) > 2)


def _needless_cut(grid: list[list[list[Segment]]]) -> int | None:
    """Return the number of a cut that parts a sign from its number, or a column from its own head."""
    for column in range(len(grid[0]) - 1):
        one = [place for place, row in enumerate(grid) if row[column]]
        other = [place for place, row in enumerate(grid) if row[column + 1]]
        if not one or not other:
            return column
        if all(_SIGN.fullmatch(_text(grid[place][column])) for place in one):
            if set(one) & set(other):
                return column
            continue
        if all(_AFTER.fullmatch(_text(grid[place][column + 1])) for place in other):
            return column
        if all(_SIGN.fullmatch(_text(grid[place][column + 1])) for place in other):
            continue
        if min(len(one), len(other)) <= _HEAD_LINES and (max(one) < min(other) or max(other) < min(one)):
            return column
    return None


def _text(cell: list[Segment]) -> str:
    return "".join(part.text for part in cell)


def _place(line: Line, cuts: list[float]) -> list[list[Segment]]:
    """Part a line into columns; words that stand close stay together, even when they cross a column's edge."""
    row: list[list[Segment]] = [[] for _ in range(len(cuts) + 1)]
    edges = [float("-inf"), *cuts, float("inf")]
    for segment in line.segments:
        for chunk in _chunks(segment, cuts):
            shares = [min(chunk.x1, b) - max(chunk.x0, a) for a, b in pairwise(edges)]
            row[shares.index(max(shares))].append(chunk)
    return row


def _chunks(segment: Segment, cuts: list[float]) -> list[Segment]:
    words = sorted(segment.words, key=lambda word: word.x0)
    groups = [[words[0]]]
    for word in words[1:]:
        start, end = groups[-1][-1].x1, word.x0
        gap = end - start
        cut = gap > _SPLIT_GAP * segment.size and any(start <= x <= end for x in cuts)
        if gap > _CELL_GAP * segment.size or cut:
            groups.append([word])
        else:
            groups[-1].append(word)
    if len(groups) == 1:
        return [segment]
    order = {id(word): place for place, word in enumerate(segment.words)}
    return [
        replace(segment, words=sorted(group, key=lambda w: order[id(w)]), x0=group[0].x0, x1=group[-1].x1)
        for group in groups
    ]


def _columns(rows: Sequence[Line]) -> list[tuple[float, float]]:
    """Return the x ranges of the columns: what lies between strips that hardly any row's words touch."""
    size = median(row.size for row in rows)
    left, right = min(row.x0 for row in rows), max(row.x1 for row in rows)
    count = int(right - left) + 2
    covered = [0] * (count + 1)
    for row in rows:
        for word in row.words:
            for x in range(int(word.x0 - left), min(int(word.x1 - left) + 1, count)):
                covered[x] += 1
    # A head that spans columns crosses the strips between them.
    allowed = max(len(rows) // 10, int(len(rows) >= _HEAD_ALLOWED))
    strips: list[tuple[float, float]] = []
    x = 0
    while x < count:
        end = x
        while end < count and covered[end] <= allowed:
            end += 1
        if end - x >= _NARROWEST * size and x > 0 and end < count:
            strip = (left + x, left + end)
            if _is_gap(rows, strip, size):
                strips.append(strip)
        x = end + 1
    edges = [left, *(edge for strip in strips for edge in strip), right]
    return list(zip(edges[::2], edges[1::2], strict=True))


def _is_gap(rows: Sequence[Line], strip: tuple[float, float], size: float) -> bool:
    """Whether a strip parts cells: in many rows the words on its sides stand wider apart than words do."""
    middle = (strip[0] + strip[1]) / 2
    both = wide = 0
    for row in rows:
        before = [word.x1 for word in row.words if (word.x0 + word.x1) / 2 < middle]
        after = [word.x0 for word in row.words if (word.x0 + word.x1) / 2 >= middle]
        if before and after:
            both += 1
            wide += min(after) - max(before) > _CELL_GAP * size
    return both > 0 and wide >= max(0.4 * both, 1)


def _is_table(grid: list[list[list[Segment]]], columns: int, rows: int) -> bool:
    filled = [[bool(cell) for cell in row] for row in grid]
    full = [row for row in filled if sum(row) >= 2]
    if columns == 2 and rows < 3:
        return False
    if not full or sum(map(sum, full)) < 0.45 * columns * len(full):
        return False
    texts = [_text(cell) for row in grid for cell in row if cell]
    lengths = [len(text) * (1 + cjk_share(text)) for text in texts]
    return median(lengths) <= 40 and sum(length > _LONGEST_CELL for length in lengths) <= 0.15 * len(lengths)
