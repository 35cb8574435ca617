"""Converted documents in, chunks out: along headings, paragraphs and sentences."""

from typing import Literal

from haystack import Document, component

from khub.components.splitters.chunk_spans import chunk_spans
from khub.components.splitters.chunks import build_chunks
from khub.components.splitters.code_spans import code_spans, is_code
from khub.components.splitters.markdown_blocks import parse_blocks
from khub.components.splitters.parameters import check_code, check_share, check_sizes, check_table_size, fingerprint_of
from khub.components.splitters.sections import pack_sections, read_sections
from khub.components.splitters.text_length import TextLength


@component
class MarkdownSplitter:
    """Splits Markdown at headings, then paragraphs, sentences and words; tables and code stay whole while they fit.

    An own one, because Haystack's splitters know no tables, and no definitions in code but Python's. They can be had
    by `HaystackSplitter`.

    :param chunk_size: greatest length of a chunk in characters, overlap included.
    :param overlap: about how many characters of running text a chunk repeats from the chunk before it in the same
        section; at most half of `chunk_size`.
    :param wide_character: how many characters of `chunk_size` and `overlap` one Han, kana or Hangul character takes.
    :param pack: a section that fills less than this share of a chunk takes in the siblings and children after it while
        they fit; 0 keeps each section apart, 1 fills chunks as far as it goes.
    :param table_size: greatest length of a table's rows in a chunk, in characters; at most `chunk_size`. Rows say
        little beside each other, so that a question finds few of them better than many.
    :param code: whether source code is split at its definitions or as any text: Python as it parses, other
        languages by blank lines and indentation.
    :raises KhubError: when one of them is out of range.
    """

    def __init__(
        self,
        chunk_size: int = 800,
        overlap: int = 150,
        wide_character: float = 1.0,
        pack: float = 0.25,
        code: Literal["definitions", "text"] = "definitions",
        table_size: int = 700,
    ) -> None:
        check_sizes(chunk_size, overlap, wide_character)
        check_share("pack", pack)
        check_code(code)
        check_table_size(table_size)
        self.chunk_size = chunk_size
        self.overlap = overlap
        self.wide_character = wide_character
        self.pack = pack
        self.code = code
        self.table_size = table_size

    @property
    def fingerprint(self) -> str:
        """Names everything that decides what chunks a document gives."""
        return fingerprint_of(self)

    @component.output_types(documents=list[Document])
    def run(self, documents: list[Document]) -> dict[str, list[Document]]:
        """Split each document.

        :param documents: converted documents: Markdown, or source code where `doc_type` is "code", in `content`.
        :returns: `documents`: the chunks in reading order, none of them blank; `section` is the heading path "A > B",
            "" before the first heading. Their other metadata: see `khub.components.splitters.chunks.build_chunks`.
        """
        return {"documents": [chunk for document in documents for chunk in self._chunks(document)]}

    def _chunks(self, document: Document) -> list[Document]:
        text = document.content or ""
        length = TextLength(text, self.wide_character)
        if self.code == "definitions" and is_code(document):
            return build_chunks(document, code_spans(document, length, self.chunk_size, self.pack))
        sections = pack_sections(read_sections(parse_blocks(text)), length, self.chunk_size, self.pack)
        spans = chunk_spans(text, sections, length, self.chunk_size, self.overlap, table_size=self.table_size)
        return build_chunks(document, spans)
