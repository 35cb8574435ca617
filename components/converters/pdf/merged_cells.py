"""Cells that are drawn as one over several columns, though the words in them stand in each."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from components.converters.pdf.drawn_forms import Place
from components.converters.pdf.layout import Segment, Word
from components.converters.pdf.lines import Line, to_lines

_GAP = 0.9
_EDGE = 2.0
Content = dict[Place, list[Segment]]


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
            row = _slot(ys, (line.top + line.bottom) / 2)
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
        at = _slot(xs, (words[0].x0 + words[-1].x1) / 2)
        if at in found or words[0].x0 < xs[at] - _EDGE or words[-1].x1 > xs[at + 1] + _EDGE:
            return None
        found[at] = words
    return found if len(found) > 1 and not line.rtl else None


def _slot(edges: Sequence[float], position: float) -> int:
    return next((at for at in range(len(edges) - 2) if position < edges[at + 1]), len(edges) - 2)
