"""The document and page on which a passage stands."""

from typing import TypedDict


class PassagePlace(TypedDict):
    """Where a passage is; `page` is None for a format without pages."""

    doc_id: str
    source: str
    title: str | None
    page: int | None
