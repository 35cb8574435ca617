"""What is said of a document that was written."""

from typing import NotRequired, TypedDict


class WrittenDocument(TypedDict):
    """A document that is new or has changed.

    :ivar pages: None for a format without pages.
    :ivar chunks: how many.
    :ivar seconds: that its file took, where it went through the graph alone; in a batch no file has its own.
    """

    doc_id: str
    source: str
    pages: int | None
    chunks: int
    seconds: NotRequired[float]
