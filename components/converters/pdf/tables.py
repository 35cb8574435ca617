"""A table as it was found on a page, and its Markdown."""

import re
from bisect import bisect
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from khub.components.converters.blocks import Box
from khub.components.converters.pdf.hyphens import Hyphens
from khub.components.converters.pdf.layout import Segment, Word
from khub.components.converters.pdf.leaders import without_leaders
from khub.components.converters.pdf.lines import to_lines, words_text

_SPACES = re.compile(r"\s+")


@dataclass(slots=True)
class Table:
    """A table.

    :param rows: text of the cells; all rows are equally long and the first is the header.
    :param edges: x of the columns' edges, one more than there are columns.
    :param repeated_header: whether the header was taken from the page before.
    """

    rows: list[list[str]]
    box: Box
    edges: list[float] = field(default_factory=list)
    bold_header: bool = False
    repeated_header: bool = False

    def markdown(self) -> str:
        """Return it as a Markdown table."""
        lines = ["| " + " | ".join(map(_escape, row)) + " |" for row in self.rows]
        lines.insert(1, "|" + " --- |" * len(self.rows[0]))
        return "\n".join(lines)


def cell_text(segments: Iterable[Segment], hyphens: Hyphens) -> str:
    """Return the text of one cell, its lines joined; what leads to the next cell is left out."""
    return hyphens.join_lines(
        [text for line in to_lines(segments) if (text := words_text(without_leaders(line.words)))]
    )


def split_at(segment: Segment, cuts: Sequence[float]) -> list[tuple[int, Segment]]:
    """Cut a segment at vertical lines.

    :param cuts: x of the lines, ascending.
    :returns: the number of the column (0 is left of the first line) and the part in it.
    """
    parts: dict[int, list[Word]] = {}
    for word in segment.words:
        parts.setdefault(bisect(cuts, (word.x0 + word.x1) / 2), []).append(word)
    if len(parts) == 1:
        return [(next(iter(parts)), segment)]
    return [
        (column, replace(segment, words=words, x0=min(w.x0 for w in words), x1=max(w.x1 for w in words)))
        for column, words in parts.items()
    ]


def _escape(cell: str) -> str:
    return _SPACES.sub(" ", cell).replace("|", "\\|").strip()
