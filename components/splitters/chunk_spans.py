"""Where the chunks of a document are, before they become documents of their own."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from khub.components.splitters.pieces import cut_section
from khub.components.splitters.sections import Section
from khub.components.splitters.table_heads import group_row, head_rows, one_line
from khub.components.splitters.text_length import TextLength


@dataclass(frozen=True, slots=True)
class ChunkSpan:
    """A chunk to be: `text[start:end]`, white space around it included.

    :param start: offset of the first character.
    :param end: offset after the last.
    :param section: heading path, or qualified name in source code.
    :param section_start: offset at which its section starts.
    :param section_end: offset at which its section ends.
    :param table_header: the heads of the columns of the table that it continues, and of its first rows, else "".
    :param table_caption: what leads to that table, else "".
    :param symbols: names that source code defines in it; None in other text.
    """

    start: int
    end: int
    section: str
    section_start: int
    section_end: int
    table_header: str = ""
    table_caption: str = ""
    symbols: tuple[str, ...] | None = None


def chunk_spans(
    text: str,
    sections: Iterable[Section],
    length: TextLength,
    chunk_size: int,
    overlap: int,
    joint: str = " > ",
    table_size: int | None = None,
) -> Iterator[ChunkSpan]:
    """Cut sections into chunks.

    :param text: the document.
    :param sections: of it, in order.
    :param length: measure of the text.
    :param chunk_size: greatest length of a chunk, overlap included.
    :param overlap: about how much running text a chunk repeats from the one before it in its section.
    :param table_size: greatest length of a table's part in a chunk; None for that of a chunk.
    :param joint: what stands between the parts of a section's path.
    :returns: the chunks in order; some may be blank.
    """
    for section in sections:
        path = joint.join(section.path)
        start, end = trimmed(text, section.start, section.end)
        for piece in cut_section(text, section, length, chunk_size, overlap, min(table_size or chunk_size, chunk_size)):
            header = caption = ""
            if table := piece.table:
                header = head_rows(text[table.start : length.reach(table.start, chunk_size)])
                header = "\n".join(filter(None, [header, group_row(text, table.start, piece.start) if header else ""]))
                caption = one_line(text[piece.lead : table.start])
            yield ChunkSpan(piece.start, piece.end, path, start, end, header, caption)


def trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    """Leave out blank lines before a span and white space after it.

    The indentation of the first line stays: it tells how list items and lines of code relate.
    """
    content = text[start:end].rstrip()
    end = start + len(content)
    blank = len(content) - len(content.lstrip())
    return start + content.rfind("\n", 0, blank) + 1, end
