"""A section of an outline."""

from typing import TypedDict


class OutlineSection(TypedDict):
    """A section with all below it counted.

    :ivar path: its headings, joined by ` > `.
    :ivar level: from 1.
    :ivar chunks: how many.
    :ivar pages: the first and the last; None for a format without pages.
    """

    path: str
    level: int
    chunks: int
    characters: int
    pages: list[int] | None
