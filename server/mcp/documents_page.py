"""A page of a collection's documents."""

from typing import TypedDict

from khub.server.reads.document_entry import DocumentEntry


class ShownDocument(DocumentEntry):
    """A document with the name of its file, and its address."""

    file: str
    uri: str


class DocumentsPage(TypedDict):
    """What the tools show of the documents.

    :ivar total: documents in all.
    :ivar next_cursor: None on the last page.
    :ivar notes: what is odd about the filter.
    """

    collection: str
    total: int
    documents: list[ShownDocument]
    next_cursor: str | None
    notes: list[str]
