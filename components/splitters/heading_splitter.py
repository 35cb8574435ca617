"""Converted documents in, one chunk for each section out."""

from typing import Literal

from haystack import Document, component

from components.errors import KhubError
from components.splitters.chunk_spans import chunk_spans
from components.splitters.chunks import build_chunks
from components.splitters.code_spans import code_spans, is_code
from components.splitters.markdown_blocks import parse_blocks
from components.splitters.parameters import check_code, check_sizes, fingerprint_of
from components.splitters.sections import pack_sections, read_sections
from components.splitters.text_length import TextLength


@component
class HeadingSplitter:
    """Splits Markdown at headings alone: short sections stay short chunks, long ones long.

    For documents whose sections each answer one question (a handbook, a list of questions and answers). What stands
    under no heading, and a section above `chunk_size`, is cut as `MarkdownSplitter` does.

    :param chunk_size: greatest length of a chunk in characters.
    :param overlap: about how many characters of running text a chunk repeats from the chunk before it in the same
        section; at most half of `chunk_size`.
    :param deepest: level of the headings that still begin a chunk, 1 to 6; those below stay in their section.
    :param wide_character: how many characters of `chunk_size` and `overlap` one Han, kana or Hangul character takes.
    :param code: whether source code gives a chunk for each definition, as `CodeSplitter` does, or is split as text.
    :raises KhubError: when one of them is out of range.
    """

    def __init__(
        self,
        chunk_size: int = 4000,
        overlap: int = 150,
        deepest: int = 6,
        wide_character: float = 1.0,
        code: Literal["definitions", "text"] = "definitions",
    ) -> None:
        check_sizes(chunk_size, overlap, wide_character)
        check_code(code)
        if not 1 <= deepest <= 6:
            raise KhubError(f"deepest is {deepest}", "set it to the level of a heading, 1 to 6.")
        self.chunk_size = chunk_size
        self.overlap = overlap
        self.deepest = deepest
        self.wide_character = wide_character
        self.code = code

    @property
    def fingerprint(self) -> str:
        """Names everything that decides what chunks a document gives."""
        return fingerprint_of(self)

    @component.output_types(documents=list[Document])
    def run(self, documents: list[Document]) -> dict[str, list[Document]]:
        """Split each document.

        :param documents: converted documents: Markdown, or source code where `doc_type` is "code", in `content`.
        :returns: `documents`: the chunks in reading order, none of them blank; a heading with nothing below it is in
            the chunk that follows. Their metadata: see `components.splitters.chunks.build_chunks`.
        """
        return {"documents": [chunk for document in documents for chunk in self._chunks(document)]}

    def _chunks(self, document: Document) -> list[Document]:
        text = document.content or ""
        length = TextLength(text, self.wide_character)
        if self.code == "definitions" and is_code(document):
            return build_chunks(document, code_spans(document, length, self.chunk_size, pack=0))
        sections = pack_sections(read_sections(parse_blocks(text), self.deepest), length, self.chunk_size, pack=0)
        return build_chunks(document, chunk_spans(text, sections, length, self.chunk_size, self.overlap))
