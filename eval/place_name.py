"""What a place in a document is called by."""

from typing import TypedDict


class PlaceName(TypedDict):
    """A file and a page; None for a format without pages."""

    source: str
    page: int | None
