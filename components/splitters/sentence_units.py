"""What a breakpoint may stand between: sentences, whole tables and whole code."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from components.splitters.boundaries import sentence_starts
from components.splitters.markdown_blocks import Block
from components.splitters.sections import Section


@dataclass(frozen=True, slots=True)
class Unit:
    """A sentence, list item, table or block of code, with the headings right before it."""

    blocks: tuple[Block, ...]

    @property
    def start(self) -> int:
        """Offset of the first character."""
        return self.blocks[0].start

    @property
    def end(self) -> int:
        """Offset after the last character."""
        return self.blocks[-1].end


def sentence_units(text: str, section: Section) -> list[Unit]:
    """Read a section as units.

    :param text: the document.
    :param section: one of its sections.
    :returns: its units in order, at least one.
    """
    units: list[Unit] = []
    headings: tuple[Block, ...] = ()
    for block in section.blocks:
        if block.kind == "heading":
            headings += (block,)
            continue
        for part in _parts(text, block):
            units.append(Unit((*headings, part)))
            headings = ()
    return [*units, Unit(headings)] if headings else units


def _parts(text: str, block: Block) -> Iterator[Block]:
    if block.kind != "text":
        yield block
        return
    for start, end in pairwise((*sentence_starts(text, block.start, block.end), block.end)):
        yield Block("text", start, end)
