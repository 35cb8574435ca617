"""A part of a document's text: a section, pages, or a passage with its neighbours."""

import re
from typing import TYPE_CHECKING

from khub.components.catalog.document_row import DocumentRow
from khub.components.errors import CollectionError, QueryError
from khub.server.mcp.budget import BUDGET_TOKENS
from khub.server.mcp.links import CHUNK, address
from khub.server.mcp.passages import fitting
from khub.server.mcp.text_part import TextPart
from khub.server.reads.joined_text import joined
from khub.server.reads.outline import section_path

if TYPE_CHECKING:
    from haystack import Document

ROOM_TOKENS = BUDGET_TOKENS - 500
"""What is left for the text itself."""


def part_of_document(
    doc_id: str | None = None,
    section: str | None = None,
    pages: str | None = None,
    chunk_id: str | None = None,
    neighbours: int = 1,
    after: str | None = None,
) -> TextPart:
    """Return a part of a document, as long as the budget allows, and where it goes on.

    Where no part is named, it is the whole from its beginning.

    :param doc_id: the document, or what it is called; not needed with a passage.
    :param section: heading path, or the last headings of one.
    :param pages: `3` or `3-5`.
    :param chunk_id: a passage.
    :param neighbours: how many passages to add on either side of that.
    :param after: a passage of the part: only what follows it.
    :raises KhubError: if the part is named in several ways, or there is no such part.
    """
    from khub.server.reads.hub_reads import document_meant, document_of, passage_of, reader, title_of

    if sum(bool(name) for name in (section, pages, chunk_id)) > 1 or (chunk_id and after):
        raise QueryError("a part has to be named in one way", "give section, or pages, or chunk_id alone")
    row = document_meant(doc_id) if doc_id else None
    if passage := chunk_id or after:
        row = document_of(passage_of(passage, row["doc_id"] if row else None).meta["doc_id"])
    if row is None:
        raise QueryError("the document is not named", "give doc_id, or a chunk_id alone")
    named = {"pages": pages} if pages else {}
    if section:
        named = {"section": section_path(reader().sections(row["doc_id"]), section)}
    chunks = _chunks(row, named, chunk_id, neighbours)
    if after:
        chunks = _following(chunks, passage_of(after, row["doc_id"]))
    shown = fitting(chunks, ROOM_TOKENS)
    more = shown < len(chunks)
    return {
        "doc_id": row["doc_id"],
        "title": title_of(row),
        "source": row["source"],
        "text": joined(chunks[:shown]),
        "passages": [
            {
                "chunk_id": chunk.id,
                "section": chunk.meta["section"],
                "pages": chunk.meta["pages"],
                "uri": address(CHUNK, id=chunk.id),
            }
            for chunk in chunks[:shown]
        ],
        "next_chunk_id": chunks[shown].id if more else None,
        "next": {"doc_id": row["doc_id"], **named, "after": chunks[shown - 1].id} if more else None,
    }


def _chunks(row: DocumentRow, named: dict[str, str], chunk_id: str | None, neighbours: int) -> "list[Document]":
    from khub.server.reads.hub_reads import passage_of, reader

    doc_id, read = row["doc_id"], reader()
    if chunk_id:
        ordinal = passage_of(chunk_id, doc_id).meta["ordinal"]
        return read.chunks_between(doc_id, ordinal - neighbours, ordinal + neighbours)
    if pages := named.get("pages"):
        first, *rest = map(int, re.findall(r"\d+", pages))
        found = read.chunks_of_pages(doc_id, first, rest[0] if rest else first)
        about = f"it has {row['pages']} pages" if row["pages"] else "it has no pages: read it by section"
        return _some(found, f"nothing on pages {pages}", about)
    return _some(
        read.chunks_of_section(doc_id, named.get("section", "")), "no text", "see why with get_document_summary"
    )


def _following(chunks: "list[Document]", passage: "Document") -> "list[Document]":
    left = [chunk for chunk in chunks if chunk.meta["ordinal"] > passage.meta["ordinal"]]
    return _some(left, f"nothing after passage {passage.id!r} in this part", "it has been read to its end")


def _some(chunks: "list[Document]", missing: str, remedy: str) -> "list[Document]":
    if not chunks:
        raise CollectionError(f"the document has {missing}", remedy, code="section_unknown")
    return chunks
