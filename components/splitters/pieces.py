"""A section in pieces that fit a chunk."""

from dataclasses import dataclass

from khub.components.splitters.boundaries import cut_before, overlap_before
from khub.components.splitters.markdown_blocks import Block
from khub.components.splitters.sections import Section
from khub.components.splitters.text_length import TextLength


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece `text[start:end]`.

    :param table: the oversized table that it continues, if it does.
    :param lead: where the text begins that leads to that table.
    """

    start: int
    end: int
    table: Block | None = None
    lead: int = 0


def cut_section(
    text: str, section: Section, length: TextLength, chunk_size: int, overlap: int, table_size: int
) -> list[Piece]:
    """Cut a section into pieces of at most `chunk_size`.

    Blocks stay whole while they fit; larger ones are cut as `cut_before` says.

    :param text: the document.
    :param section: one of its sections.
    :param length: measure of the text.
    :param chunk_size: greatest length of a piece, overlap included.
    :param overlap: about how much running text a piece repeats from the one before; at most half of `chunk_size`.
    :param table_size: greatest length of a table's part in a piece.
    :returns: the pieces in order; together they cover the section.
    """
    tables = (block for block in section.blocks if block.kind == "table")
    small = all(length.of(table.start, table.end) <= table_size for table in tables)
    if small and length.of(section.start, section.end) <= chunk_size:
        return [Piece(section.start, section.end)]
    cutter = _Cutter(text, section.start, length, chunk_size, overlap, table_size)
    for block in section.blocks:
        cutter.add(block)
    return cutter.finish()


class _Cutter:
    """Fills one piece after the other: `start` .. `end`, of which what lies before `own` is overlap."""

    def __init__(
        self, text: str, start: int, length: TextLength, chunk_size: int, overlap: int, table_size: int
    ) -> None:
        self._text, self._length, self._size, self._overlap = text, length, chunk_size, overlap
        self._table_size = table_size
        self._start = self._own = self._end = start
        self._running_text_from = start
        self._only_headings = True
        self._table: Block | None = None
        self._lead = self._table_lead = start
        self._pieces: list[Piece] = []

    def add(self, block: Block) -> None:
        if block.kind == "table":
            self._lead = self._lead_to(block)
        if block.kind != "text":
            self._running_text_from = block.end
        while block.end > (limit := self._limit(block)):
            begin = max(self._end, block.start)
            if self._end == self._own or (limit > begin and self._cut_now(block, self._length.of(begin, limit))):
                self._end = cut_before(self._text, begin, limit, block.kind)
            self._flush(block)
        self._only_headings = self._only_headings and block.kind == "heading"
        self._end = block.end

    def _limit(self, block: Block) -> int:
        """Return how far the piece begun may reach into a block."""
        limit = self._length.reach(self._start, self._size)
        if block.kind != "table":
            return limit
        return min(limit, self._length.reach(max(self._end, block.start), self._table_size))

    def finish(self) -> list[Piece]:
        self._close()
        return self._pieces

    def _cut_now(self, block: Block, room: float) -> bool:
        """Whether to cut a block that does not fit the piece begun, instead of leaving it whole to the next."""
        little = block.kind == "table" and self._length.of(self._start, self._end) <= self._size // 4
        if self._only_headings or little:
            return room >= (self._table_size if block.kind == "table" else self._size) // 4
        too_long = self._length.of(block.start, block.end) > self._size
        return block.kind == "text" and too_long and room >= self._size // 2

    def _close(self) -> None:
        if self._text[self._own : self._end].strip():
            self._pieces.append(Piece(self._start, self._end, self._table, self._table_lead))

    def _flush(self, block: Block) -> None:
        """Close the piece and begin the next, whose first own text is of `block`."""
        self._close()
        self._only_headings = False
        self._own = self._end = max(self._end, block.start)
        self._table = block if block.kind == "table" and self._own > block.start else None
        self._table_lead = self._lead
        self._start = self._own
        if block.kind == "table" and self._table is None and self._pieces:
            # a table that fits a chunk is rather kept whole than given what leads to it
            whole = self._length.of(block.start, block.end) <= self._table_size
            if not whole or self._length.of(self._lead, block.end) <= self._size:
                self._start = max(self._lead, self._pieces[-1].start + 1)
        if block.kind == "text" and self._pieces:
            length = self._length.of(self._own, block.end)
            # A paragraph that fits a chunk is rather kept whole than given all of its overlap.
            whole = self._own == block.start and length <= self._size
            allowed = min(self._overlap, self._size - length) if whole else self._overlap
            reach = self._length.reach_back(self._own, allowed)
            lowest = max(reach, self._running_text_from, self._pieces[-1].start + 1)
            self._start = overlap_before(self._text, lowest, self._own)

    def _lead_to(self, table: Block) -> int:
        """Return where the running text begins that leads to a table: whole lines, as long as an overlap at most."""
        lowest = max(self._length.reach_back(table.start, self._overlap), self._running_text_from)
        if lowest >= table.start:
            return table.start
        if lowest == self._running_text_from or self._text[lowest - 1] == "\n":
            return lowest
        line = self._text.find("\n", lowest, table.start)
        has_more = line >= 0 and self._text[line : table.start].strip()
        return line + 1 if has_more else overlap_before(self._text, lowest, table.start)
