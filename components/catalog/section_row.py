"""A section as the catalog knows it."""

from typing import TypedDict


class SectionRow(TypedDict):
    """What lies in a section itself, and not in one below it.

    :ivar path: its headings, joined by ` > `; empty for what stands above the first one.
    :ivar chunks: how many.
    """

    path: str
    chunks: int
    characters: int
    page_first: int | None
    page_last: int | None
