"""The sections of a document, and which small ones share a chunk."""

from dataclasses import dataclass
from itertools import takewhile

from khub.components.splitters.markdown_blocks import Block
from khub.components.splitters.text_length import TextLength

HEADINGS_SHARE = 4
"""Headings in a row go with the text below them while they take less than chunk_size / HEADINGS_SHARE."""


@dataclass(frozen=True, slots=True)
class Section:
    """Neighbouring blocks under a common heading path.

    :param path: titles of the headings above, outermost first; empty before the first heading.
    :param level: of its first heading, 1 to 6; 0 before the first heading.
    :param blocks: at least one, headings first.
    """

    path: tuple[str, ...]
    level: int
    blocks: tuple[Block, ...]

    @property
    def start(self) -> int:
        """Offset of the first character."""
        return self.blocks[0].start

    @property
    def end(self) -> int:
        """Offset after the last character."""
        return self.blocks[-1].end

    @property
    def has_body(self) -> bool:
        """Whether there is more than headings."""
        return self.blocks[-1].kind != "heading"


def read_sections(blocks: list[Block]) -> list[Section]:
    """Cut the blocks at the headings.

    :param blocks: of one document, in order.
    :returns: one section for each heading, and one for what stands before the first.
    """
    sections: list[Section] = []
    above: list[tuple[int, str]] = []
    first = 0
    for index in range(1, len(blocks) + 1):
        if index < len(blocks) and blocks[index].kind != "heading":
            continue
        head = blocks[first]
        if head.kind == "heading":
            above = [(level, title) for level, title in above if level < head.level]
            above.append((head.level, head.title))
        path = tuple(title for _, title in above if title)
        sections.append(Section(path, head.level, tuple(blocks[first:index])))
        first = index
    return sections


def pack_sections(sections: list[Section], length: TextLength, chunk_size: int, pack: float) -> list[Section]:
    """Join what must not or need not be split.

    A heading with nothing below it goes with the section that follows, so that no heading loses its text. A small
    section takes in the siblings and children that follow while all of it fits; their common path becomes the path.

    :param sections: of one document, in order.
    :param length: measure of its text.
    :param chunk_size: of a chunk.
    :param pack: share of `chunk_size` below which a section is small, what it has taken in included; 0 to 1.
    :returns: sections in order, each to become one chunk or more.
    """
    whole: list[Section] = []
    for section in sections:
        if whole and _leads(whole[-1], length, chunk_size):
            whole[-1] = _join(whole[-1], section, section.path)
        else:
            whole.append(section)
    packed: list[Section] = []
    for section in whole:
        if packed and _takes_in(packed[-1], section, length, chunk_size, pack):
            packed[-1] = _join(packed[-1], section, _common_path(packed[-1], section))
        else:
            packed.append(section)
    last = len(packed) > 1 and not packed[-1].has_body
    if last and length.of(packed[-2].start, packed[-1].end) <= chunk_size:
        packed[-2:] = [_join(packed[-2], packed[-1], packed[-2].path)]
    return packed


def _leads(section: Section, length: TextLength, chunk_size: int) -> bool:
    return not section.has_body and length.of(section.start, section.end) <= chunk_size // HEADINGS_SHARE


def _takes_in(section: Section, following: Section, length: TextLength, chunk_size: int, pack: float) -> bool:
    small = length.of(section.start, section.end) < pack * chunk_size
    related = following.level >= section.level > 0
    return small and related and following.has_body and length.of(section.start, following.end) <= chunk_size


def _common_path(one: Section, other: Section) -> tuple[str, ...]:
    pairs = takewhile(lambda pair: pair[0] == pair[1], zip(one.path, other.path, strict=False))
    return tuple(title for title, _ in pairs)


def _join(section: Section, following: Section, path: tuple[str, ...]) -> Section:
    return Section(path, section.level, section.blocks + following.blocks)
