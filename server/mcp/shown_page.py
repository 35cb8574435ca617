"""A page of a document, as the tools show it."""

from typing import TypedDict


class PageHead(TypedDict):
    """Which page it is.

    :ivar title: of the document.
    :ivar text: of the page; empty beside an image.
    """

    doc_id: str
    title: str
    page: int
    text: str
    uri: str


class ReadPage(PageHead):
    """A page that cannot be drawn, by its text."""

    drawn: bool
    marked: int


class DrawnPage(PageHead):
    """An image of a page, its size in pixels, and how many boxes are marked on it."""

    width: int
    height: int
    drawn: bool
    marked: int
