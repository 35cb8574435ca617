"""Parts of requests that several routes have in common, with their bounds."""

import json
from typing import Annotated, Any

from fastapi import Path, Query
from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from khub.components.errors import FilterError
from khub.server.http.cursors import MOST_CHARACTERS
from khub.server.mcp.arguments import ID_CHARACTERS, NAME_CHARACTERS

FILTER_CHARACTERS = 20_000
PRINTABLE = r"^[^\x00-\x1f\x7f]*[^\s\x00-\x1f\x7f][^\x00-\x1f\x7f]*$"


class Strict(BaseModel):
    """Part of a request; what it does not know is refused."""

    model_config = ConfigDict(extra="forbid")


def _plain(value: Any) -> Any:
    """Refuse what JSON, UTF-8 or SQLite cannot hold."""
    try:
        json.dumps(value, ensure_ascii=False, allow_nan=False).encode()
    except (ValueError, RecursionError) as error:
        raise ValueError("it holds a number or a character that cannot be kept") from error
    return value


PlainJson = Annotated[dict[str, Any], AfterValidator(_plain)]
Filters = Annotated[PlainJson | None, Field(description="A Haystack metadata filter that every passage must pass.")]
Name = Annotated[str, Field(min_length=1, max_length=NAME_CHARACTERS, description="Name of a collection.")]
Line = Annotated[str, Field(min_length=1, max_length=500, pattern=PRINTABLE)]
DocId = Annotated[str, Path(max_length=ID_CHARACTERS, description="Id of a document.")]


class Paged(Strict):
    """The query of a list."""

    limit: Annotated[int, Query(ge=1, le=200, description="Entries of a page.")] = 50
    cursor: Annotated[
        str | None, Query(max_length=MOST_CHARACTERS, description="`next_cursor` of the page before.")
    ] = None


def typed_filters(text: str | None) -> dict[str, Any] | None:
    """Return the filter that a query string holds as JSON; None for none.

    :raises FilterError: if it is no JSON object.
    """
    if text is None:
        return None
    try:
        found = _plain(json.loads(text))
    except (ValueError, RecursionError) as error:
        raise FilterError("filters is not JSON", "give a Haystack filter as a JSON object") from error
    if not isinstance(found, dict):
        raise FilterError("filters is no JSON object", "give a Haystack filter as a JSON object")
    return found or None
