"""What the tools about documents return, as their output schemas say it."""

from typing import Any

from pydantic import Field

from khub.server.mcp.shapes import Shape


class CollectionInfo(Shape):
    """A collection."""

    name: str
    description: str
    documents: int
    chunks: int
    languages: list[str] = Field(description="Most frequent first.")
    changed_at: str = Field(description="ISO 8601, UTC.")
    graphs: list[str] = Field(description="Graphs that can answer from it.")
    uri: str


class CollectionList(Shape):
    """All collections."""

    collections: list[CollectionInfo]


class DocumentInfo(Shape):
    """A document in a list."""

    doc_id: str
    title: str
    source: str
    file: str = Field(description="Its name without folders.")
    doc_type: str | None
    language: str | None
    pages: int | None
    chunks: int
    status: str = Field(description="`ready` or `failed`.")
    error: str | None = None
    ingested_at: str | None
    uri: str


class DocumentSummary(Shape):
    """What is known of a document."""

    doc_id: str
    collection: str
    title: str
    source: str
    doc_type: str | None
    language: str | None
    summary: str
    tags: list[str]
    created: str | None = Field(description="Date that the document gives itself.")
    ingested_at: str | None
    pages: int | None
    chunks: int
    average_chunk_characters: int
    images: int
    status: str
    error: str | None = None
    sections: list[str] = Field(description="Headings of the highest level that has several.")
    metadata: dict[str, Any]
    uri: str


class SectionInfo(Shape):
    """A section, with all below it."""

    path: str
    level: int
    chunks: int
    characters: int
    pages: list[int] | None = Field(description="First and last page.")
    uri: str


class Description(Shape):
    """A page of a collection's documents, or of a document's outline."""

    total: int
    next_cursor: str | None = None
    collection: str | None = None
    documents: list[DocumentInfo] = Field(default_factory=list)
    notes: list[str] = Field(default_factory=list, description="Fields of the filter that no document has.")
    doc_id: str | None = None
    title: str | None = None
    sections: list[SectionInfo] = Field(default_factory=list)


class Passage(Shape):
    """A passage of what was read."""

    chunk_id: str
    section: str
    pages: list[int] | None
    uri: str


class SectionText(Shape):
    """A part of a document."""

    doc_id: str
    title: str
    source: str
    text: str
    passages: list[Passage]
    next_chunk_id: str | None = Field(default=None, description="Where the text goes on, if it was too long.")
    next: dict[str, Any] | None = Field(default=None, description="Arguments of read_section for what follows, then.")
