"""A part of a document's text."""

from typing import TypedDict


class PartPassage(TypedDict):
    """A passage of the part, with its address; `pages` is the first and the last."""

    chunk_id: str
    section: str
    pages: list[int] | None
    uri: str


class TextPart(TypedDict):
    """What the tools show of a part.

    :ivar title: of the document.
    :ivar next_chunk_id: where it goes on; None at its end.
    :ivar next: arguments that read on.
    """

    doc_id: str
    title: str
    source: str
    text: str
    passages: list[PartPassage]
    next_chunk_id: str | None
    next: dict[str, str] | None
