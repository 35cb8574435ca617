"""The sections of a document, and which tiny ones share a chunk."""

from dataclasses import dataclass
from itertools import takewhile

from components.splitters.markdown_blocks import Block

TINY_SHARE = 4
"""A section shorter than chunk_size / TINY_SHARE is tiny: alone it would match much and say little."""


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


def pack_sections(sections: list[Section], chunk_size: int) -> list[Section]:
    """Join what must not or need not be split.

    A heading with nothing below it goes with the section that follows, so that no heading loses its text. A tiny
    section takes in the siblings and children that follow while all of it fits; their common path becomes the path.

    :param sections: of one document, in order.
    :param chunk_size: of a chunk, in characters.
    :returns: sections in order, each to become one chunk or more.
    """
    whole: list[Section] = []
    for section in sections:
        if whole and not whole[-1].has_body and _length(whole[-1]) <= chunk_size // TINY_SHARE:
            whole[-1] = _join(whole[-1], section, section.path)
        else:
            whole.append(section)
    packed: list[Section] = []
    for section in whole:
        if packed and _takes_in(packed[-1], section, chunk_size):
            packed[-1] = _join(packed[-1], section, _common_path(packed[-1], section))
        else:
            packed.append(section)
    if len(packed) > 1 and not packed[-1].has_body and packed[-1].end - packed[-2].start <= chunk_size:
        packed[-2:] = [_join(packed[-2], packed[-1], packed[-2].path)]
    return packed


def _takes_in(section: Section, following: Section, chunk_size: int) -> bool:
    tiny = _length(section) < chunk_size // TINY_SHARE
    related = following.level >= section.level > 0
    return tiny and related and following.has_body and following.end - section.start <= chunk_size


def _length(section: Section) -> int:
    return section.end - section.start


def _common_path(one: Section, other: Section) -> tuple[str, ...]:
    pairs = takewhile(lambda pair: pair[0] == pair[1], zip(one.path, other.path, strict=False))
    return tuple(title for title, _ in pairs)


def _join(section: Section, following: Section, path: tuple[str, ...]) -> Section:
    return Section(path, section.level, section.blocks + following.blocks)
