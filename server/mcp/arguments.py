"""Arguments that several tools have in common, with their bounds."""

from typing import Annotated, Any, Literal

from pydantic import Field

QUERY_CHARACTERS = 4000
NAME_CHARACTERS = 200
ID_CHARACTERS = 64

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
        description="An example picture in place of words: an image_id of the hub; a PNG or JPEG in base64 (3 MB at "
        "most, scale it down to 1,000 pixels); or a path in the folders that the server may read.",
    ),
]
TopK = Annotated[int, Field(ge=1, le=100, description="How many passages to cite; many are shortened.")]
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
    dict[str, Any] | None,
    Field(
        description="A Haystack metadata filter that every passage must pass, such as "
        '{"field": "meta.doc_type", "operator": "==", "value": "pdf"}, or several under '
        '{"operator": "AND", "conditions": [...]}. Fields: doc_type, source, title, section, page, language, '
        "ingested_at, tags, and any metadata given at ingest.",
    ),
]
Graph = Annotated[
    str,
    Field(
        min_length=1,
        max_length=NAME_CHARACTERS,
        description="Name of a graph of kind `query`, as list_graphs shows it.",
    ),
]
Detail = Annotated[
    Literal["concise", "full"],
    Field(description="`concise`: the answer and where it stands. `full`: the cited passages whole, too."),
]
DocId = Annotated[
    str, Field(min_length=1, max_length=ID_CHARACTERS, description="Id of a document (`doc_id` of a citation or list).")
]
DocIdOrNone = Annotated[
    str | None,
    Field(
        min_length=1,
        max_length=ID_CHARACTERS,
        description="Id of a document (`doc_id` of a citation or list); not needed beside the id of a passage.",
    ),
]
ChunkId = Annotated[
    str | None, Field(min_length=1, max_length=ID_CHARACTERS, description="Id of a passage (`chunk_id` of a citation).")
]
Cursor = Annotated[
    str | None, Field(max_length=1000, description="`next_cursor` of the page before; leave it out for the first one.")
]
