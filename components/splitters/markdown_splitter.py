"""Converted documents in, chunks out."""

import hashlib
from bisect import bisect_right
from collections import Counter
from typing import Any

from haystack import Document, component

from components.errors import KhubError
from components.splitters.markdown_blocks import parse_blocks
from components.splitters.pieces import Piece, cut_section
from components.splitters.sections import pack_sections, read_sections
from components.text.language import detect_language

VERSION = "1"
"""Changes whenever the same document would give other chunks."""

_OF_THE_FILE = frozenset({"page_starts"})


@component
class MarkdownSplitter:
    """Splits Markdown at headings, then paragraphs, sentences and words; tables and code stay whole while they fit.

    An own one, because Haystack's `RecursiveDocumentSplitter` and `MarkdownHeaderSplitter` know neither pages given by
    offset nor tables, and do not promise `text[start:end] == content`.

    :param chunk_size: greatest length of a chunk in characters, overlap included.
    :param overlap: about how many characters of running text a chunk repeats from the chunk before it in the same
        section; at most half of `chunk_size`.
    :raises KhubError: when `chunk_size` or `overlap` is out of range.
    """

    def __init__(self, chunk_size: int = 800, overlap: int = 150) -> None:
        if chunk_size < 1:
            raise KhubError(f"chunk_size is {chunk_size}", "set it to 1 or more characters (800 is the default).")
        if not 0 <= overlap <= chunk_size // 2:
            raise KhubError(
                f"overlap is {overlap} with chunk_size {chunk_size}", "set overlap between 0 and half of chunk_size."
            )
        self.chunk_size = chunk_size
        self.overlap = overlap

    @property
    def fingerprint(self) -> str:
        """Names everything that decides what chunks a document gives."""
        return f"MarkdownSplitter(chunk_size={self.chunk_size}, overlap={self.overlap}, version={VERSION})"

    @component.output_types(documents=list[Document])
    def run(self, documents: list[Document]) -> dict[str, list[Document]]:
        """Split each document.

        :param documents: converted documents: Markdown in `content`; in `meta` `doc_id` (the document's `id` stands
            in where it is missing) and, for formats with pages, `page_starts`.
        :returns: `documents`: the chunks in reading order, none of them blank. Their `meta` is that of the document
            (without `page_starts`) with `section` (heading path "A > B", "" before the first heading), `start` and
            `end` (offsets in the document's content), `page` (from 1: the one with most of its text) and `pages`
            (first and last; both None without pages), `ordinal` (from 0), `language` and `content_hash`; a chunk that
            continues a table too large for one chunk has the table's header row in `table_header`.
        """
        return {"documents": [chunk for document in documents for chunk in self._chunks(document)]}

    def _chunks(self, document: Document) -> list[Document]:
        text = document.content or ""
        chunks: list[Document] = []
        repeats: Counter[tuple[str, str]] = Counter()
        for section in pack_sections(read_sections(parse_blocks(text)), self.chunk_size):
            path = " > ".join(section.path)
            for piece in cut_section(text, section, self.chunk_size, self.overlap):
                meta = self._meta(document, path, piece)
                meta["ordinal"] = len(chunks)
                same = (path, meta["content_hash"])
                chunk_id = _chunk_id(meta["doc_id"], *same, repeats[same])
                repeats[same] += 1
                chunks.append(Document(id=chunk_id, content=text[meta["start"] : meta["end"]], meta=meta))
        return chunks

    def _meta(self, document: Document, path: str, piece: Piece) -> dict[str, Any]:
        text = document.content or ""
        content = text[piece.start : piece.end].rstrip()
        end = piece.start + len(content)
        content = _without_blank_lines_before(content)
        start = end - len(content)
        meta = {key: value for key, value in document.meta.items() if key not in _OF_THE_FILE}
        meta |= {"doc_id": document.meta.get("doc_id") or document.id, "section": path, "start": start, "end": end}
        meta |= {"page": None, "pages": None, "language": detect_language(content), "content_hash": _digest(content)}
        if page_starts := document.meta.get("page_starts"):
            first, last = (max(bisect_right(page_starts, offset), 1) for offset in (start, end - 1))
            meta |= {"page": _page_of_most(page_starts, first, last, start, end), "pages": [first, last]}
        if piece.table and (header := _header_row(text, piece.table.start, self.chunk_size)):
            meta["table_header"] = header
        return meta


def _page_of_most(page_starts: list[int], first: int, last: int, start: int, end: int) -> int:
    def length(page: int) -> int:
        page_end = page_starts[page] if page < len(page_starts) else end
        return min(end, page_end) - max(start, page_starts[page - 1])

    return max(range(first, last + 1), key=length)


def _without_blank_lines_before(content: str) -> str:
    """Keep the indentation of the first line: it tells how list items and lines of code relate."""
    blank = len(content) - len(content.lstrip())
    return content[content.rfind("\n", 0, blank) + 1 :]


def _header_row(text: str, start: int, longest: int) -> str:
    row = text[start : start + longest + 1].split("\n", 1)[0]
    return row.strip() if len(row) <= longest else ""


def _chunk_id(doc_id: str, path: str, content_hash: str, repeat: int) -> str:
    return _digest("\0".join([doc_id, path, content_hash, *([str(repeat)] if repeat else [])]))


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]
