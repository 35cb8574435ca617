"""A document in a list."""

from typing import TypedDict


class DocumentEntry(TypedDict):
    """What a list says of a document.

    :ivar title: or the name of its file.
    :ivar status: `ready` or `failed`.
    """

    doc_id: str
    title: str
    source: str
    doc_type: str | None
    language: str | None
    pages: int | None
    chunks: int
    status: str
    error: str | None
    ingested_at: str | None
