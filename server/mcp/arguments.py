"""Arguments that several tools have in common, with their bounds."""

from typing import Annotated, Any, Literal

from pydantic import Field

QUERY_CHARACTERS = 4000
NAME_CHARACTERS = 200
ID_CHARACTERS = 64
SOURCE_CHARACTERS = 4000

Query = Annotated[
    str,
    Field(
        min_length=1,
        max_length=QUERY_CHARACTERS,
        description="The question, or words to look for, in the user's own language (Chinese or English).",
    ),
]
QueryOrNone = Annotated[
    str | None,
    Field(
        min_length=1,
        max_length=QUERY_CHARACTERS,
        description="Words to look for, in the user's own language (Chinese or English); or give `example`.",
    ),
]
Example = Annotated[
    str | None,
    Field(
        min_length=1,
        max_length=4_000_100,
        description="An example picture in place of words: an image_id; a PNG or JPEG in base64 (3 MB at most, scale "
        "it down to 1,000 pixels); or a path in the folders that the server may read.",
    ),
]
TopK = Annotated[int, Field(ge=1, le=100, description="How many passages to cite, 5 if left out.")]
Collection = Annotated[
    str | None,
    Field(
        min_length=1,
        max_length=NAME_CHARACTERS,
        description="Name of a collection, as list_collections shows it. Leave it out to ask all; "
        "what is no question then means the only one, or `default`.",
    ),
]
Filters = Annotated[
    list[str | dict[str, Any]] | None,
    Field(
        description="Conditions that every passage must meet, such as `doc_type=pdf`, `page>=10`, `language in en,zh`. "
        "Fields: doc_type, source, title, section, page, language, ingested_at, tags, any metadata given at ingest.",
        json_schema_extra={"items": {"type": "string"}},
    ),
]
"""In text, as `khub.server.library.filter_text` reads it; a Haystack filter, as an object, is taken as well."""
Graph = Annotated[
    str,
    Field(
        min_length=1,
        max_length=NAME_CHARACTERS,
        description="Graph of kind `query`, as list_graphs shows it; `query` if left out.",
    ),
]
Detail = Annotated[
    Literal["concise", "full"],
    Field(description="`concise` (if left out): the answer and where it stands. `full`: the passages whole, too."),
]
DocId = Annotated[
    str,
    Field(
        min_length=1,
        max_length=SOURCE_CHARACTERS,
        description="The document: its `doc_id` (of a citation or list), title or file name.",
    ),
]
DocIdOrNone = Annotated[
    str | None,
    Field(
        min_length=1,
        max_length=SOURCE_CHARACTERS,
        description="The document: its `doc_id` (of a citation or list), title or file name; not needed beside the id "
        "of a passage.",
    ),
]
DeletedId = Annotated[
    str, Field(min_length=1, max_length=ID_CHARACTERS, description="Id of a document (`doc_id` of a citation or list).")
]
ChunkId = Annotated[
    str | None, Field(min_length=1, max_length=ID_CHARACTERS, description="Id of a passage (`chunk_id` of a citation).")
]
Cursor = Annotated[
    str | None, Field(max_length=1000, description="`next_cursor` of the page before; leave it out for the first one.")
]
