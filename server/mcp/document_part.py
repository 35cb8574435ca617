"""A part of a document's text: a section, pages, or a passage with its neighbours."""

from typing import TYPE_CHECKING, Any

from components.errors import CollectionError, QueryError
from server.mcp.budget import BUDGET_TOKENS
from server.mcp.links import CHUNK, address
from server.mcp.passages import fitting
from server.reads.joined_text import joined
from server.reads.outline import section_path

if TYPE_CHECKING:
    from haystack import Document

ROOM_TOKENS = BUDGET_TOKENS - 500
"""What is left for the text itself."""


def part_of_document(
    doc_id: str | None, section: str | None, pages: str | None, chunk_id: str | None, neighbours: int
) -> dict[str, Any]:
    """Return a part of a document, as long as the budget allows, and where it goes on.

    :param doc_id: the document; not needed with a passage.
    :param section: heading path, or the last headings of one; empty for the whole document.
    :param pages: `3` or `3-5`.
    :param chunk_id: a passage.
    :param neighbours: how many passages to add on either side of that.
    :raises KhubError: unless exactly one of the three is given and there is such a part.
    """
    from server.reads.hub_reads import document_of, passage_of, title_of

    if sum(name is not None for name in (section, pages, chunk_id)) != 1:
        raise QueryError("a part has to be named in one way", "give section, or pages, or chunk_id")
    if chunk_id is not None:
        doc_id = passage_of(chunk_id, doc_id).meta["doc_id"]
    if doc_id is None:
        raise QueryError("the document is not named", "give doc_id, or a chunk_id alone")
    row = document_of(doc_id)
    chunks = _chunks(row, section, pages, chunk_id, neighbours)
    shown = fitting(chunks, ROOM_TOKENS)
    return {
        "doc_id": doc_id,
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
        "next_chunk_id": chunks[shown].id if shown < len(chunks) else None,
    }


def _chunks(
    row: dict[str, Any], section: str | None, pages: str | None, chunk_id: str | None, neighbours: int
) -> "list[Document]":
    from server.reads.hub_reads import passage_of, reader

    doc_id, read = row["doc_id"], reader()
    if section is not None:
        path = section_path(read.sections(doc_id), section)
        return _some(read.chunks_of_section(doc_id, path), f"no section {section[:200]!r}", "list_document_sections")
    if pages is not None:
        first, _, last = pages.partition("-")
        found = read.chunks_of_pages(doc_id, int(first), int(last or first))
        about = f"it has {row['pages']} pages" if row["pages"] else "it has no pages: read it by section"
        return _some(found, f"nothing on pages {pages}", about)
    ordinal = passage_of(chunk_id or "", doc_id).meta["ordinal"]
    return read.chunks_between(doc_id, ordinal - neighbours, ordinal + neighbours)


def _some(chunks: "list[Document]", missing: str, hint: str) -> "list[Document]":
    if not chunks:
        raise CollectionError(f"the document has {missing}", f"see: {hint}" if hint.islower() and "_" in hint else hint)
    return chunks
