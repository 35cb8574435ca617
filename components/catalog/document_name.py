"""What a document is called by."""

from typing import TypedDict


class DocumentName(TypedDict):
    """A document by its id and its source."""

    doc_id: str
    source: str
