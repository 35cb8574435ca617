"""What the tools about images return, as their output schemas say it."""

from typing import Any

from pydantic import Field

from khub.server.mcp.shapes import Shape


class ImageInfo(Shape):
    """A picture of a document."""

    image_id: str
    doc_id: str
    title: str
    source: str
    page: int | None
    words: str = Field(description="Caption, alternative text, words read in it, description.")
    around: str = Field(description="Beginning of the passage around it.")
    chunk_id: str | None = Field(description="Of that passage, for read_section.")
    width: int
    height: int
    score: float
    uri: str


class ImageList(Shape):
    """Pictures, best first."""

    collection: str
    images: list[ImageInfo]
    degraded: list[dict[str, Any]] = Field(description="What stands in for something that failed: stage, reason.")
    hint: str = Field(description="How more would be found, where pictures are not compared by what they show.")


class PageImage(Shape):
    """A page as a person sees it."""

    doc_id: str
    title: str
    page: int
    drawn: bool = Field(description="False where the page cannot be drawn and its text is given.")
    marked: int = Field(description="Number of places that are marked.")
    text: str = Field(description="Text of the page; empty where it was drawn.")
    width: int | None = None
    height: int | None = None
    uri: str
