"""Forms drawn with lines: boxes of all widths, which are no rows and columns; each box is read for itself."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from khub.components.converters.blocks import Box
from khub.components.converters.pdf.grids import Grid, Place
from khub.components.converters.pdf.layout import Segment, Word
from khub.components.converters.pdf.leaders import without_leaders
from khub.components.converters.pdf.lines import Line, to_lines
from khub.components.converters.pdf.number_cells import is_figure

_SAME = 0.4
_APART = 2.0
_MARK = 3


@dataclass(slots=True)
class Form:
    """A form.

    :param fields: what stands in each of its boxes, in reading order, with the right edge of the box.
    """

    box: Box
    fields: list[tuple[list[Line], float]]


def read_form(grid: Grid, content: Mapping[Place, list[Segment]]) -> Form:
    """Read a form box by box: a number in a box of its own goes with the words that stand on its line.

    :param content: what stands in each box, by its top left place.
    """
    edges = {owner: grid.xs[column + 1] for (_, column), owner in sorted(grid.owners.items())}
    fields: list[tuple[list[Segment], float]] = []
    for place in sorted(content):
        parts = content[place]
        if all(_is_value(part.text) for part in parts) and (field := _beside(parts, fields)) is not None:
            fields[field] = ([*fields[field][0], *parts], edges[place])
        elif parts:
            fields.append((list(parts), edges[place]))
    return Form(grid.box, [([part for line in to_lines(parts) for part in _parted(line)], x1) for parts, x1 in fields])


def _is_value(text: str) -> bool:
    return is_figure(text.replace(" ", "")) or len(text) <= _MARK


def _beside(parts: Sequence[Segment], fields: Sequence[tuple[list[Segment], float]]) -> int | None:
    """Return the number of the last field with words to the left of the first of some parts."""
    first = parts[0]
    for place in range(len(fields) - 1, -1, -1):
        for other in fields[place][0]:
            if abs(other.baseline - first.baseline) < _SAME * first.size and other.x1 <= first.x0:
                return place
    return None


def _parted(line: Line) -> list[Line]:
    """Part a line where fields stand beside each other; a figure stays with the words before it.

    What leads to a figure is left out, and a box that says once more with which number its line begins.
    """
    written = without_leaders(sorted(line.words, key=lambda each: each.x0))
    if len(written) > 1 and written[-1].text == written[0].text and any(map(str.isdigit, written[0].text)):
        written.pop()
    groups: list[list[Word]] = []
    for word in written:
        apart = groups and word.x0 - groups[-1][-1].x1 > _APART * line.size
        if not groups or (apart and not _is_value(word.text)):
            groups.append([word])
        else:
            groups[-1].append(word)
    if line.rtl or (len(groups) == 1 and len(written) == len(line.words)):
        return [line]
    part = line.segments[0]
    return [Line([replace(part, words=words, x0=words[0].x0, x1=words[-1].x1)]) for words in groups]
