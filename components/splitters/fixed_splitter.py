"""Converted documents in, chunks of one length out."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator

from haystack import Document, component

from components.splitters.chunk_spans import ChunkSpan, trimmed
from components.splitters.chunks import build_chunks
from components.splitters.code_spans import is_code
from components.splitters.image_anchors import anchor_around
from components.splitters.markdown_blocks import parse_blocks
from components.splitters.parameters import check_sizes, fingerprint_of
from components.splitters.sections import Section, read_sections
from components.splitters.text_length import TextLength


@component
class FixedSplitter:
    """Cuts a text every so many characters, whatever stands there; only the mark of a picture is not torn apart.

    What other splitters are measured against, and for text without any structure (transcripts, logs). An own one,
    because Haystack's `DocumentSplitter` counts words and cannot tell Chinese ones apart.

    :param chunk_size: length of a chunk in characters, overlap included.
    :param overlap: how many characters a chunk repeats from the chunk before it; at most half of `chunk_size`.
    :param wide_character: how many characters of `chunk_size` and `overlap` one Han, kana or Hangul character takes.
    :raises KhubError: when one of them is out of range.
    """

    def __init__(self, chunk_size: int = 800, overlap: int = 150, wide_character: float = 1.0) -> None:
        check_sizes(chunk_size, overlap, wide_character)
        self.chunk_size = chunk_size
        self.overlap = overlap
        self.wide_character = wide_character

    @property
    def fingerprint(self) -> str:
        """Names everything that decides what chunks a document gives."""
        return fingerprint_of(self)

    @component.output_types(documents=list[Document])
    def run(self, documents: list[Document]) -> dict[str, list[Document]]:
        """Split each document.

        :param documents: converted documents: any text in `content`.
        :returns: `documents`: the chunks in reading order, none of them blank, without the white space at their ends.
            The section of each is the one with most of its text; it may reach beyond it. Their other metadata: see
            `components.splitters.chunks.build_chunks`.
        """
        return {
            "documents": [chunk for document in documents for chunk in build_chunks(document, self._spans(document))]
        }

    def _spans(self, document: Document) -> Iterator[ChunkSpan]:
        text = document.content or ""
        # A comment of a script looks like a heading.
        sections = _Sections(text, [] if is_code(document) else read_sections(parse_blocks(text)))
        length = TextLength(text, self.wide_character)
        start = end = 0
        while end < len(text):
            end = length.reach(start, self.chunk_size)
            if (anchor := anchor_around(text, end)) and anchor[0] > start + (end - start) // 2:
                end = anchor[0]
            yield sections.span(start, end)
            start = max(length.reach_back(end, self.overlap), start + 1)
            if anchor := anchor_around(text, start):
                start = min(anchor[1], end)


class _Sections:
    def __init__(self, text: str, sections: list[Section]) -> None:
        places = [(*trimmed(text, section.start, section.end), " > ".join(section.path)) for section in sections]
        self._places = places or [(*trimmed(text, 0, len(text)), "")]
        self._starts = [start for start, _, _ in self._places]
        self._ends = [end for _, end, _ in self._places]

    def span(self, start: int, end: int) -> ChunkSpan:
        """Return `text[start:end]` with the section that has most of it."""
        first = min(bisect_right(self._ends, start), len(self._places) - 1)
        inside = self._places[first : max(bisect_left(self._starts, end), first + 1)]
        begins, ends, path = max(inside, key=lambda place: min(end, place[1]) - max(start, place[0]))
        return ChunkSpan(start, end, path, begins, ends)
