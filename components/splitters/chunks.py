"""Spans of a document in, chunks with all their metadata out."""

import hashlib
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable
from typing import Any

from haystack import Document

from khub.components.catalog.document_meta import ConvertedFields
from khub.components.splitters.block_boxes import BlockBoxes
from khub.components.splitters.chunk_spans import ChunkSpan, trimmed
from khub.components.splitters.image_anchors import image_refs
from khub.components.text.language import detect_language
from khub.components.text.time_marks import TimeMarks, second_at

OF_THE_FILE = frozenset({"pictures", *ConvertedFields.__annotations__})
"""Keys of a converted document that describe all of it, and would be repeated in each chunk."""


def build_chunks(document: Document, spans: Iterable[ChunkSpan]) -> list[Document]:
    """Make the chunks of a document.

    :param document: converted: text in `content`; in `meta` `doc_id` (the document's `id` stands in where it is
        missing), for formats with pages `page_starts`, and `blocks` where their places are known.
    :param spans: of its text, in order; blank ones give no chunk.
    :returns: chunks whose `meta` is that of the document without the keys of `OF_THE_FILE`, and `section`, `start` and
        `end` (offsets in the document's content), `page` (from 1: the one with most of its text) and `pages` (first
        and last; both None without pages), `page_breaks` (only across pages: for each page behind the first the offset
        in `content` at which it begins), `time_marks` (only of what is said: offset in `content` and second of each
        thing), `ordinal` (from 0), `language`, `content_hash`, `image_refs` (ids of the pictures whose mark is in it),
        `boxes` (`[page, left, top, right, bottom]`, see `BlockBoxes`; empty where its blocks have no places),
        `parent` (id shared by all chunks of its section), `parent_start` and `parent_end` (where that section is in the
        document's content), `table_header` and `table_caption` (only in a chunk that continues a table too large for
        one: the heads of its columns, and what leads to it)
        and `symbols` (only in source code: names defined in it).
    """
    text = document.content or ""
    doc_id = document.meta.get("doc_id") or document.id
    common = {key: value for key, value in document.meta.items() if key not in OF_THE_FILE} | {"doc_id": doc_id}
    boxes = BlockBoxes(document.meta.get("blocks") or [])
    page_starts = document.meta.get("page_starts")
    chunks: list[Document] = []
    repeats: Counter[tuple[str, str]] = Counter()
    for span in spans:
        start, end = trimmed(text, span.start, span.end)
        if start >= end:
            continue
        content = text[start:end]
        meta = common | {"section": span.section, "start": start, "end": end, "ordinal": len(chunks)}
        meta |= {"language": detect_language(content), "content_hash": _digest(content)}
        meta |= _pages(page_starts, start, end) | _family(doc_id, span)
        meta |= _time_marks(document.meta.get("time_marks"), start, end)
        meta |= {"image_refs": image_refs(content), "boxes": boxes.cover(start, end)}
        if span.table_header:
            meta["table_header"] = span.table_header
        if span.table_caption:
            meta["table_caption"] = span.table_caption
        if span.symbols is not None:
            meta["symbols"] = list(span.symbols)
        same = (span.section, meta["content_hash"])
        chunks.append(Document(id=_chunk_id(doc_id, *same, repeats[same]), content=content, meta=meta))
        repeats[same] += 1
    return chunks


def _family(doc_id: str, span: ChunkSpan) -> dict[str, Any]:
    parent = _digest("\0".join([doc_id, span.section, str(span.section_start)]))
    return {"parent": parent, "parent_start": span.section_start, "parent_end": span.section_end}


def _pages(page_starts: list[int] | None, start: int, end: int) -> dict[str, Any]:
    if not page_starts:
        return {"page": None, "pages": None}
    first, last = (max(bisect_right(page_starts, offset), 1) for offset in (start, end - 1))
    found = {"page": _page_of_most(page_starts, first, last, start, end), "pages": [first, last]}
    breaks = [page_start - start for page_start in page_starts[first:last]]
    return {**found, "page_breaks": breaks} if breaks else found


def _time_marks(marks: TimeMarks | None, start: int, end: int) -> dict[str, Any]:
    if not marks:
        return {}
    first = second_at(marks, start)
    begun = [] if first is None else [[0, first]]
    inside = [[offset - start, seconds] for offset, seconds in marks if start < offset < end]
    return {"time_marks": [*begun, *inside]} if begun or inside else {}


def _page_of_most(page_starts: list[int], first: int, last: int, start: int, end: int) -> int:
    def length(page: int) -> int:
        page_end = page_starts[page] if page < len(page_starts) else end
        return min(end, page_end) - max(start, page_starts[page - 1])

    return max(range(first, last + 1), key=length)


def _chunk_id(doc_id: str, path: str, content_hash: str, repeat: int) -> str:
    return _digest("\0".join([doc_id, path, content_hash, *([str(repeat)] if repeat else [])]))


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]
