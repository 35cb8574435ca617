"""What a reader of source code finds: its definitions, and how they divide it."""

from collections.abc import Callable
from dataclasses import dataclass

from khub.components.splitters.markdown_blocks import Block
from khub.components.splitters.sections import Section

Fits = Callable[[int, int], bool]
"""Says whether `text[start:end]` fits a chunk."""


@dataclass(frozen=True, slots=True)
class Definition:
    """A class, function, struct …: `text[start:end]`.

    :param name: as the code names it, qualified where the reader knows by what.
    :param start: offset of its first line.
    :param end: offset after its last line.
    """

    name: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class SourceCode:
    """Source code read.

    :param sections: the text in order, without gaps but blank lines; the path of each is its qualified name.
    :param definitions: in any order.
    """

    sections: list[Section]
    definitions: list[Definition]


def code_section(path: tuple[str, ...], level: int, start: int, end: int) -> Section:
    """Return a span of code as a section that `pack_sections` and `cut_section` know how to handle."""
    return Section(path, level, (Block("code", start, end),))
