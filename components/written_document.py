"""What is said of a document that was written."""

from typing import TypedDict


class WrittenDocument(TypedDict):
    """A document that is new or has changed.

    :ivar pages: None for a format without pages.
    :ivar chunks: how many.
    """

    doc_id: str
    source: str
    pages: int | None
    chunks: int
