"""Arguments that several tools have in common, with their bounds."""

from typing import Annotated, Any

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
        description="The question, or words to look for, in the user's own language.",
    ),
]
QueryOrNone = Annotated[
    str | None, Field(min_length=1, max_length=QUERY_CHARACTERS, description="What it shows, or words beside it.")
]
Example = Annotated[
    str | None,
    Field(
        min_length=1,
        max_length=4_000_100,
        description="In place of words: an image_id, a PNG or JPEG in base64 (3 MB at most), or a path that the server "
        "may read.",
    ),
]
TopK = Annotated[int, Field(ge=1, le=100, description="Passages to cite, 5 if left out.")]
Collection = Annotated[
    str | None,
    Field(min_length=1, max_length=NAME_CHARACTERS, description="Name of a collection; all are asked if left out."),
]
Filters = Annotated[
    list[str | dict[str, Any]] | None,
    Field(
        description="Conditions such as `doc_type=pdf`, `page>=10`, `language in en,zh`; other fields: source, title, "
        "section, ingested_at, tags, own metadata.",
        json_schema_extra={"items": {"type": "string"}},
    ),
]
"""In text, as `khub.server.library.filter_text` reads it; a Haystack filter, as an object, is taken as well."""
DocId = Annotated[
    str | None,
    Field(min_length=1, max_length=SOURCE_CHARACTERS, description="Id, title or file name of a document."),
]
DeletedId = Annotated[
    str, Field(min_length=1, max_length=ID_CHARACTERS, description="Id of a document (`doc_id` of a citation or list).")
]
ChunkId = Annotated[
    str | None, Field(min_length=1, max_length=ID_CHARACTERS, description="Id of a passage, or how it begins.")
]
