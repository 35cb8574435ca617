"""Source code in, chunks along its definitions out."""

from haystack import Document, component

from components.splitters.chunks import build_chunks
from components.splitters.code_spans import code_spans
from components.splitters.parameters import check_share, check_sizes, fingerprint_of
from components.splitters.text_length import TextLength


@component
class CodeSplitter:
    """Splits source code at its definitions: Python as it parses, other languages by blank lines and indentation.

    `MarkdownSplitter`, `HeadingSplitter` and `SemanticSplitter` do the same to documents whose `doc_type` is "code";
    this one takes every document for code.

    :param chunk_size: greatest length of a chunk in characters; a class above it is divided into its head and methods,
        a function at blank lines, else after lines.
    :param wide_character: how many characters of `chunk_size` one Han, kana or Hangul character takes.
    :param pack: a definition that fills less than this share of a chunk takes in those after it in the same class or
        module while they fit; 0 keeps each apart, 1 fills chunks as far as it goes.
    :raises KhubError: when one of them is out of range.
    """

    def __init__(self, chunk_size: int = 800, wide_character: float = 1.0, pack: float = 0.25) -> None:
        check_sizes(chunk_size, 0, wide_character)
        check_share("pack", pack)
        self.chunk_size = chunk_size
        self.wide_character = wide_character
        self.pack = pack

    @property
    def fingerprint(self) -> str:
        """Names everything that decides what chunks a document gives."""
        return fingerprint_of(self)

    @component.output_types(documents=list[Document])
    def run(self, documents: list[Document]) -> dict[str, list[Document]]:
        """Split each document.

        :param documents: source code in `content`, as it stands in its file; the extension of `source` in `meta` tells
            Python from other languages.
        :returns: `documents`: the chunks in reading order, none of them blank; `section` is the qualified name
            (`Class.method`) of what a chunk is part of, `symbols` the names defined in it. Their other metadata: see
            `components.splitters.chunks.build_chunks`.
        """
        return {"documents": [chunk for document in documents for chunk in self._chunks(document)]}

    def _chunks(self, document: Document) -> list[Document]:
        length = TextLength(document.content or "", self.wide_character)
        return build_chunks(document, code_spans(document, length, self.chunk_size, self.pack))
