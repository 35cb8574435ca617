"""The documents of a collection as the tools show them, page by page."""

from typing import Any

from khub.server.mcp.cursors import cursor_at, offset_of
from khub.server.mcp.documents_page import DocumentsPage, ShownDocument
from khub.server.mcp.given_filters import given_filters
from khub.server.mcp.links import DOCUMENT, address
from khub.server.mcp.text_result import table

PAGE_SIZE = 50
COLUMNS = ("doc_id", "title", "file", "doc_type", "language", "pages", "chunks", "status")


def documents_page(
    collection: str | None,
    text: str | None = None,
    conditions: list[str | dict[str, Any]] | None = None,
    cursor: str | None = None,
) -> DocumentsPage:
    """Return a page of a collection's documents.

    :param text: words that title or path hold.
    :param conditions: that one of a document's passages must meet.
    :param cursor: of the page before; None for the first.
    :raises KhubError: if there is no such collection, or the filter does not parse.
    :raises MCPError: if the cursor is not one of this list.
    """
    from khub.components.catalog.document_page import Wanted
    from khub.components.catalog.parts import shown_name
    from khub.server.reads.hub_reads import collections, reader
    from khub.server.reads.listed import document_row, filter_notes

    name = collections().resolve(collection)
    of = f"documents of {name}" + (f" with {text}" if text else "")
    offset = offset_of(cursor, of)
    filters = given_filters(conditions)
    total, found = reader().page(Wanted(name, filters, text), None, PAGE_SIZE, offset)
    rows: list[ShownDocument] = [
        {**document_row(row), "file": shown_name(row["source"]), "uri": address(DOCUMENT, id=row["doc_id"])}
        for row in found
    ]
    left = total > offset + PAGE_SIZE
    return {
        "collection": name,
        "total": total,
        "documents": rows,
        "next_cursor": cursor_at(offset + PAGE_SIZE, of) if left else None,
        "notes": filter_notes(name, filters),
    }


def documents_text(data: DocumentsPage, text: str | None) -> str:
    """Return a page of documents as a Markdown table.

    :param text: the words that were looked for.
    """
    from khub.components.text.hidden_characters import in_quotes

    with_words = f" with {in_quotes(text)} in title or path" if text else ""
    head = f"{data['total']} documents in collection `{data['collection']}`{with_words}."
    more = f"More: the same with cursor `{data['next_cursor']}`." if data["next_cursor"] else ""
    return "\n\n".join(part for part in (head, *data["notes"], table(COLUMNS, data["documents"]), more) if part)
