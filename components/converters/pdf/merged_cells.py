"""Cells that are drawn as one over several rows or columns, though the words in them stand in each."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from khub.components.converters.pdf.grids import Place, slot
from khub.components.converters.pdf.layout import Segment, Word
from khub.components.converters.pdf.lines import Line, to_lines
from khub.components.converters.pdf.number_cells import is_figure
from khub.components.converters.pdf.numbered_fields import first_lines

_GAP = 0.9
_EDGE = 2.0
_FEWEST, _TALL = 2, 5
_FILLED = 0.6
_WITHIN = 0.8
Content = dict[Place, list[Segment]]


def part_tall(content: Content, owners: Mapping[Place, Place], ys: Sequence[float]) -> None:
    """Put the lines of cells over many rows into the rows where they stand: labels that no line parts, as figures are.

    :param content: what stands in each cell, by its top left place; changed in place.
    :param owners: place -> top left place of the cell that covers it.
    :param ys: y of the rows' edges.
    """
    baselines = [(owner, part.baseline) for owner, parts in content.items() for part in parts]
    for owner in list(content):
        row, column = owner
        end = next((at for at in range(row, len(ys) - 1) if owners[at, column] != owner), len(ys) - 1)
        if end - row < _FEWEST:
            continue
        lines = [(slot(ys, (line.top + line.bottom) / 2), line) for line in to_lines(content[owner])]
        beside = [baseline for other, baseline in baselines if other[1] != column]
        if _stand_in_rows(lines, ys, end - row) or _are_values([line for _, line in lines], beside):
            content[owner] = []
            for at, line in lines:
                content.setdefault((at, column), []).extend(line.segments)


def _stand_in_rows(lines: Sequence[tuple[int, Line]], ys: Sequence[float], rows: int) -> bool:
    """Whether lines fill the rows that a cell covers, hardly one on an edge: few of them only if they are numbered."""
    if rows < _TALL and not first_lines([line for _, line in lines]):
        return False
    within = sum(line.top > ys[at] - _EDGE and line.bottom < ys[at + 1] + _EDGE for at, line in lines)
    return within >= _WITHIN * len(lines) and len({at for at, _ in lines}) >= _FILLED * rows


def _are_values(lines: Sequence[Line], beside: Sequence[float]) -> bool:
    """Whether lines are figures that stand on the lines of other columns: each belongs to one row."""
    return all(
        is_figure(line.text.replace(" ", "")) and any(abs(line.baseline - one) < _EDGE for one in beside)
        for line in lines
    )


def part_merged(content: Content, owners: Mapping[Place, Place], xs: Sequence[float], ys: Sequence[float]) -> Content:
    """Take the lines out of merged cells whose words stand apart, each group in a column of its own.

    :param content: what stands in each cell, by its top left place; it loses what is returned.
    :param owners: place -> top left place of the cell that covers it.
    :param xs: x of the columns' edges.
    :param ys: y of the rows' edges.
    :returns: what was taken out, by the place where it stands.
    """
    taken: Content = {}
    for owner, parts in content.items():
        row, column = owner
        if owners.get((row, column + 1)) != owner:
            continue
        left: list[Segment] = []
        for line in to_lines(parts):
            columns = _columns(line, xs)
            if columns is None:
                left += line.segments
                continue
            row = slot(ys, (line.top + line.bottom) / 2)
            for at, words in columns.items():
                part = replace(line.segments[0], words=words, x0=words[0].x0, x1=words[-1].x1)
                taken.setdefault((row, at), []).append(part)
        content[owner] = left
    return taken


def _columns(line: Line, xs: Sequence[float]) -> dict[int, list[Word]] | None:
    """Return the words of each column, where a line's groups of words are two or more, each within one of its own."""
    groups: list[list[Word]] = []
    for word in sorted(line.words, key=lambda each: each.x0):
        if groups and word.x0 - groups[-1][-1].x1 <= _GAP * line.size:
            groups[-1].append(word)
        else:
            groups.append([word])
    found: dict[int, list[Word]] = {}
    for words in groups:
        at = slot(xs, (words[0].x0 + words[-1].x1) / 2)
        if at in found or words[0].x0 < xs[at] - _EDGE or words[-1].x1 > xs[at + 1] + _EDGE:
            return None
        found[at] = words
    return found if len(found) > 1 and not line.rtl else None
