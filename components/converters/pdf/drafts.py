"""A block in the making."""

from dataclasses import dataclass, field
from typing import Literal

from khub.components.converters.blocks import BlockKind, Box
from khub.components.converters.pdf.layout import Figure
from khub.components.converters.pdf.lines import Line
from khub.components.converters.pdf.tables import Table

# An aside is set apart from the text: a running head, a watermark; labels belong to the figure before them. Both become
# paragraphs, never headings or titles.
DraftKind = BlockKind | Literal["aside", "labels"]


@dataclass(slots=True)
class Draft:
    """One block of a page before its text is set.

    :param hard: for each line but the first, whether a line break that its author made stands before it.
    :param indent: depth of a list item, from 0.
    :param number: of a footnote.
    """

    kind: DraftKind
    page: int
    box: Box
    lines: list[Line] = field(default_factory=list)
    hard: list[bool] = field(default_factory=list)
    table: Table | None = None
    figure: Figure | None = None
    level: int = 0
    indent: int = 0
    number: str = ""

    @property
    def text(self) -> str:
        """Plain text of its lines."""
        return " ".join(line.text for line in self.lines)

    @property
    def block_kind(self) -> BlockKind:
        """What it is for a reader."""
        match self.kind:
            case "aside" | "labels":
                return "paragraph"
            case kind:
                return kind

    @property
    def size(self) -> float:
        """Font size of its longest line."""
        return max(self.lines, key=lambda line: len(line.text)).size if self.lines else 0.0

    @property
    def bold(self) -> bool:
        """Whether all of it is bold."""
        return bool(self.lines) and all(line.bold for line in self.lines)

    @property
    def italic(self) -> bool:
        """Whether all of it is italic."""
        return bool(self.lines) and all(line.italic for line in self.lines)


def draft_of(kind: DraftKind, page: int, lines: list[Line]) -> Draft:
    """Make a block of lines."""
    box = (
        min(line.x0 for line in lines),
        min(line.top for line in lines),
        max(line.x1 for line in lines),
        max(line.bottom for line in lines),
    )
    return Draft(kind, page, box, lines, [False] * (len(lines) - 1))
