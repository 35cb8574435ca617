"""What `search` and `fetch` return, as clients that know these two tools expect it."""

from typing import Any

from pydantic import Field

from khub.server.mcp.shapes import Shape


class FoundDocument(Shape):
    """A document that may answer."""

    id: str = Field(description="For fetch.")
    title: str
    url: str


class FoundDocuments(Shape):
    """Documents, best first; none where nothing answers."""

    results: list[FoundDocument]


class FetchedDocument(Shape):
    """The text of a document."""

    id: str
    title: str
    text: str
    url: str
    metadata: dict[str, Any] = Field(description="`next_id`, where the text goes on: fetch that.")
