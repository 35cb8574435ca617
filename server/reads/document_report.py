"""What is known of a document."""

from typing import Any, TypedDict


class DocumentReport(TypedDict):
    """A document in short.

    :ivar title: or the name of its file.
    :ivar status: `ready` or `failed`.
    :ivar created: as the file writes it.
    :ivar images: how many the caller may see.
    :ivar sections: the main headings, some at most.
    :ivar metadata: without what the hub keeps for itself.
    """

    doc_id: str
    collection: str
    source: str
    doc_type: str | None
    language: str | None
    ingested_at: str | None
    pages: int | None
    chunks: int
    status: str
    title: str
    summary: str
    tags: list[str]
    created: str | None
    average_chunk_characters: int
    images: int
    error: str | None
    sections: list[str]
    metadata: dict[str, Any]
