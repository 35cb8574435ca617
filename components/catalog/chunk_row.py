"""A chunk as the catalog lists those of a document."""

from typing import TypedDict


class ChunkRow(TypedDict):
    """A row of the table `chunks`, without its metadata.

    :ivar ordinal: its number in the document, from 0.
    :ivar section: headings above it, joined by ` > `; empty where there are none.
    :ivar page: from 1, the one with most of its text; None for a format without pages.
    :ivar time_mark: of what is said in a recording: when it begins, such as `12:40`; None of anything else.
    :ivar start: offset in the text of the document at which it begins.
    :ivar end: offset at which it ends.
    """

    chunk_id: str
    ordinal: int
    section: str
    page: int | None
    page_first: int | None
    page_last: int | None
    time_mark: str | None
    start: int
    end: int
    language: str
    content: str
