"""Fields that a filter names and no document has: what was meant, said where it would look like "nothing found"."""

from collections.abc import Iterator, Sequence
from typing import Any

from khub.components.answer import UnknownField
from khub.components.catalog.catalog import Catalog
from khub.components.catalog.filters import COLUMNS
from khub.components.query.short_filters import BY_NAME
from khub.components.text.nearest_name import nearest_name

FIELDS = ("doc_type", "source", "title", "section", "page", "language", "size", "ingested_at", "doc_id")
"""What every document has, as a filter names it; see docs/guide/filters.md."""
FIELD_OF = {"type": "doc_type", "tag": "tags", "lang": "language", "page": "page", "path": "source"}
"""Key of a short filter -> the field that it is about, where that has another name."""
INTERNAL = frozenset({"modified_at", "found_metadata"})
"""What short filters ask with something in its stead, and what is the hub's own."""
MOST_NAMED = 20


def unknown_fields(catalog: Catalog, collection: str, filters: dict[str, Any]) -> tuple[list[UnknownField], list[str]]:
    """Return the fields of a filter that no document has which the caller may read, and then those that there are.

    :param collection: a name that exists.
    :param filters: a Haystack filter that is right.
    :returns: two empty lists where each field is known.
    """
    asked = [name for name in dict.fromkeys(_fields(filters)) if name not in COLUMNS and name not in INTERNAL]
    if not asked:
        return [], []
    own = catalog.metadata_fields.of_documents(collection)
    unknown = [name for name in asked if name not in own and not catalog.metadata_fields.in_chunk(collection, name)]
    if not unknown:
        return [], []
    known = [*FIELDS, *sorted(own - INTERNAL)]
    return [UnknownField(name, _meant(name, known)) for name in unknown], known[: len(FIELDS) + MOST_NAMED]


def unknown_fields_note(unknown: Sequence[UnknownField], fields: Sequence[str]) -> str:
    """Return what `unknown_fields` has found as a sentence; empty where that is nothing."""
    if not unknown:
        return ""
    said = [f"no document has a field {one.field!r}{_did_you_mean(one.meant)}" for one in unknown]
    return f"{'; '.join(said)}; fields are: {', '.join(fields)}"


def _did_you_mean(meant: str | None) -> str:
    return f", did you mean {meant!r}?" if meant else ""


def _meant(name: str, known: list[str]) -> str | None:
    key = BY_NAME.get(name.lower())
    field = FIELD_OF.get(key, key) if key else None
    return field if field in known else nearest_name(name, known)


def _fields(filters: dict[str, Any]) -> Iterator[str]:
    for condition in filters.get("conditions", ()):
        yield from _fields(condition)
    if "field" in filters:
        yield str(filters["field"]).removeprefix("meta.")
