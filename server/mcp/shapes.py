"""What the tools return, as their output schemas say it."""

from typing import Any

from pydantic import BaseModel, ConfigDict, Field


class Shape(BaseModel):
    """Part of a result; later versions may add fields."""

    model_config = ConfigDict(extra="allow")


class Citation(Shape):
    """A passage that carries the answer."""

    id: int = Field(description="The n of its mark [n].")
    chunk_id: str
    doc_id: str
    collection: str | None = Field(default=None, description="Where several collections were asked: its own.")
    source: str = Field(description="Path of the file.")
    url: str | None = Field(default=None, description="Where on the web the hub has fetched it.")
    title: str
    section: str = Field(description="Heading path, such as `A > B`; empty at the top of a document.")
    page: int | None = None
    text: str = Field(description="The passage, or what of it carries the match, where `text_shortened` is true.")
    text_shortened: bool = False
    score: float
    ranks: dict[str, Any] = Field(default_factory=dict)
    images: list[str] = Field(default_factory=list)
    context: dict[str, Any] | None = Field(default=None, description="Text around it, where `detail` is `full`.")
    uri: str = Field(description="Resource with the whole passage.")


class Answer(Shape):
    """An answer with its citations."""

    answer: str = Field(description="Markdown with marks [n].")
    abstained: bool = Field(description="True where the documents hold no answer.")
    confidence: float = Field(ge=0, le=1)
    citations: list[Citation]
    intent: str = ""
    collection: str = Field(description="The one asked; of several, that of the first citation.")
    collections: list[dict[str, Any]] | None = Field(default=None, description="Of each, where several were asked.")
    legs: list[dict[str, Any]] = Field(default_factory=list, description="Which searches ran, and their hits.")
    degraded: list[dict[str, Any]] = Field(default_factory=list, description="Parts of the search that failed.")
    graph: str
    trace_id: str
    timings_ms: dict[str, float]
