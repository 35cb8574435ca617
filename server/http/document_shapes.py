"""What the routes about documents take and give."""

from typing import Annotated, Any, Literal

from fastapi import Query
from pydantic import BaseModel, Field, StrictInt, model_validator

from khub.server.http.arguments import FILTER_CHARACTERS, Line, Name, Paged, Strict
from khub.server.reads.listed_document import ListedDocument

Sort = Literal[
    "source", "-source", "title", "-title", "updated_at", "-updated_at", "pages", "-pages", "chunks", "-chunks"
]
LARGEST = 2**63 - 1
Value = (
    Annotated[str, Field(max_length=10_000)]
    | Annotated[int, Field(ge=-LARGEST, le=LARGEST)]
    | Annotated[float, Field(allow_inf_nan=False, gt=-LARGEST, lt=LARGEST)]
    | bool
)


class DocumentsQuery(Paged):
    """Which documents are listed, and how."""

    collection: Annotated[Name | None, Query(description="The only one, or `default`, if it is left out.")] = None
    status: Annotated[Literal["ready", "failed"] | None, Query()] = None
    filters: Annotated[
        str | None,
        Query(
            max_length=FILTER_CHARACTERS,
            description="A Haystack metadata filter as JSON: documents with a passage that passes it.",
        ),
    ] = None
    text: Annotated[
        str | None,
        Query(max_length=500, description="What title or source hold, or how an id begins (6 characters or more)."),
    ] = None
    sort: Annotated[Sort, Query(description="With `-` the other way round.")] = "source"


class DocumentPage(BaseModel):
    """A page of a collection's documents."""

    collection: str
    total: int
    documents: list[ListedDocument]
    next_cursor: str | None = None
    notes: list[str] = Field(default_factory=list, description="Fields of the filter that no document has.")


class Document(BaseModel):
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
    updated_at: str
    pages: int | None
    size: int | None
    chunks: int
    average_chunk_characters: int
    images: int
    status: str
    error: str | None
    remedy: str | None
    degraded: list[str] = Field(description="Stages for which something simpler stands in: ingest it again.")
    sha256: str | None = Field(description="Of its file, for a caller to whom all of it is opened.")
    sections: list[str] = Field(description="Headings of the highest level that has several.")
    metadata: dict[str, Any]
    original: bool = Field(description="Whether the caller can have the file that it was made from.")


class DocumentEdit(Strict):
    """What is to be changed of a document; what is left out stays."""

    title: Line | None = None
    tags: Annotated[list[Line] | None, Field(max_length=100)] = None
    access_level: Line | StrictInt | Annotated[list[Line | StrictInt], Field(min_length=1, max_length=100)] | None = (
        Field(default=None, description="A level, or levels of which one is enough; null takes it away.")
    )
    metadata: dict[Annotated[str, Field(min_length=1, max_length=100)], Value | list[Value] | None] = Field(
        default_factory=dict, max_length=100, description="Key -> value; null takes the key away."
    )

    @model_validator(mode="after")
    def _is_whole(self) -> "DocumentEdit":
        if not self.model_fields_set:
            raise ValueError("nothing is to be changed")
        if "title" in self.model_fields_set and self.title is None:
            raise ValueError("a title cannot be taken away")
        if {"title", "tags", "access_level"} & self.metadata.keys():
            raise ValueError("title, tags and access_level are fields of their own")
        return self


class EditedDocument(BaseModel):
    """A document after an edit."""

    document: Document
    changed: list[str] = Field(description="`title`, and keys of metadata.")
    rewritten: int = Field(
        description="Passages that were written anew, since the title is part of what is searched, and levels decide "
        "which passages stand for each other; 0 where metadata alone has changed. The file was not read again."
    )


class DeletedDocument(BaseModel):
    """A document that is gone."""

    doc_id: str
    collection: str
    source: str
    chunks: int


class SectionsQuery(Paged):
    """Which part of an outline."""

    depth: Annotated[int, Query(ge=1, le=100, description="Levels of headings.")] = 3


class Section(BaseModel):
    """A section, with all below it."""

    path: str = Field(description="Headings, with ` > ` between them.")
    level: int
    chunks: int
    characters: int
    pages: list[int] | None = Field(description="First and last page.")


class SectionPage(BaseModel):
    """A page of a document's outline."""

    doc_id: str
    total: int
    sections: list[Section]
    next_cursor: str | None


class Chunk(BaseModel):
    """A passage of a document."""

    chunk_id: str
    ordinal: int
    text: str
    section: str
    page: int | None
    pages: list[int] | None
    language: str | None
    start: int = Field(description="Offset in the document's Markdown.")
    end: int
    boxes: list[list[float]] = Field(description="`[page, left, top, right, bottom]` in points, where known.")
    images: list[str]
    time_mark: str | None = Field(default=None, description="Of a recording: when it is said, such as `12:40`.")


class ChunkPage(BaseModel):
    """A page of a document's passages."""

    doc_id: str
    total: int
    chunks: list[Chunk]
    next_cursor: str | None
