"""A page of a document's outline."""

from typing import TypedDict

from khub.server.reads.outline_section import OutlineSection


class ShownSection(OutlineSection):
    """A section with its address."""

    uri: str


class OutlinePage(TypedDict):
    """What the tools show of an outline.

    :ivar title: of the document.
    :ivar total: sections in all.
    :ivar next_cursor: None on the last page.
    """

    doc_id: str
    title: str
    total: int
    sections: list[ShownSection]
    next_cursor: str | None
