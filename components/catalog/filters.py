"""Haystack metadata filters as SQL over the catalog."""

import json
import math
import re
from typing import Any

from khub.components.catalog.access import ACCESS_FIELD, access_levels, caller
from khub.components.errors import FilterError

COLUMNS = {
    "doc_id": "d.doc_id",
    "source": "d.source",
    "doc_type": "d.doc_type",
    "title": "d.title",
    "size": "d.size",
    "ingested_at": "d.ingested_at",
    "id": "c.chunk_id",
    "content": "c.content",
    "section": "c.section",
    "page": "c.page",
    "page_first": "c.page_first",
    "page_last": "c.page_last",
    "language": "c.language",
    "ordinal": "c.ordinal",
}
DEPTH_LIMIT, CONDITIONS_LIMIT, VALUES_LIMIT = 15, 500, 30_000  # below what SQLite itself takes
GLOB_LIMIT = 1000
IS_WHOLE = "(c.chunk_id IS NOT NULL OR (d.version = 0 AND d.status = 'failed'))"
"""That a document `d` has a chunk `c`, left-joined, or needs none, since nothing of it was ever read."""
TAILS_LIMIT = 100
"""Sources in a list that may be told from a folder on: each is compared with each; longer lists hold whole ones."""
ELEMENTS = " OR ".join(
    f"EXISTS (SELECT 1 FROM json_each({table}.meta, ?) WHERE typeof(key) = 'integer' "
    "AND atom IN (SELECT value FROM json_each(?)))"
    for table in ("c", "d")
)
"""That one of the elements of a list is wanted. A chunk and its document never have the same key."""
COMPARISONS = {"==": "IS", "!=": "IS NOT", ">": ">", ">=": ">=", "<": "<", "<=": "<="}
EXAMPLE = '{"field": "meta.doc_type", "operator": "==", "value": "pdf"}'


def compile_filters(filters: dict[str, Any]) -> tuple[str, list[Any]]:
    """Return a WHERE clause over `chunks c, documents d` and its values.

    A field is a column of the catalog or any key of a document's or chunk's metadata; a missing field equals None, so
    that it passes `!=` and `not in` alone (Haystack's own rule). A list (`tags`) equals each of its elements.

    Beside Haystack's operators there is `glob` for text: `*` stands for any characters, `?` for one, everything else
    for itself, the case of A to Z aside; in `source` both slashes are one, and it equals its end from any folder on.
    `access_level` is no caller's to filter by.

    :param filters: a Haystack filter: a comparison, or AND / OR / NOT over conditions.
    :raises FilterError: naming the part that does not parse.
    """
    clause, values = _compile(filters, 0)
    if len(values) > VALUES_LIMIT:
        raise FilterError(
            f"filter is too large ({len(values)} values)", f"give at most {VALUES_LIMIT}", code="filter_too_large"
        )
    return clause, values


def access_clause() -> tuple[str, list[Any]]:
    """Return a WHERE clause over `chunks c, documents d` that keeps what the caller may read, and its values.

    Where levels restrict it, a chunk without `access_level` is not kept.

    :raises FilterError: if `$KHUB_ACCESS` names no level.
    """
    levels, (among, names) = access_levels(), collections_clause()
    if levels is None:
        return among, names
    field, path = _metadata(ACCESS_FIELD)
    clause, values = _membership(field, path, "in", list(levels))
    return (clause, values) if among == "TRUE" else (f"({clause} AND {among})", [*values, *names])


def document_access_clause() -> tuple[str, list[Any]]:
    """Return a WHERE clause over `documents d` that keeps those of which the caller may read a chunk, and its values.

    A file of which nothing was ever read has the level that was given with it. Where no levels restrict the caller, all
    documents are kept.

    :raises FilterError: if `$KHUB_ACCESS` names no level.
    """
    if access_levels() is None:
        return collections_clause()
    clause, values = access_clause()
    own = f"c.doc_id = d.doc_id AND c.version = d.version WHERE {IS_WHOLE} AND {clause}"
    return f"EXISTS (SELECT 1 FROM (SELECT 1) LEFT JOIN chunks c ON {own})", values


def collections_clause() -> tuple[str, list[Any]]:
    """Return a WHERE clause over `documents d` that keeps those in collections that exist for the caller."""
    names = caller().collections
    return (
        ("TRUE", []) if names is None else ("d.collection IN (SELECT value FROM json_each(?))", [json.dumps([*names])])
    )


def having(filters: dict[str, Any] | None) -> tuple[str, list[Any]]:
    """Return a WHERE clause over `documents d`, and its values: one chunk that is opened passes the filter."""
    if filters is None:
        return document_access_clause()
    (clause, values), (access, opened) = compile_filters(filters), access_clause()
    chunk = f"c.doc_id = d.doc_id AND c.version = d.version AND ({clause}) AND {access}"
    return f"EXISTS (SELECT 1 FROM chunks c WHERE {chunk})", [*values, *opened]


def _compile(filters: Any, depth: int) -> tuple[str, list[Any]]:
    if not isinstance(filters, dict):
        raise FilterError(f"filter {filters!r} is not an object", f"write it like {EXAMPLE}")
    if depth > DEPTH_LIMIT:
        raise FilterError(
            "filter is too large (nested too deeply)", f"nest at most {DEPTH_LIMIT} levels", code="filter_too_large"
        )
    if "conditions" in filters or filters.get("operator") in ("AND", "OR", "NOT"):
        return _logic(filters, depth)
    return _comparison(filters)


def _logic(node: dict[str, Any], depth: int) -> tuple[str, list[Any]]:
    operator, conditions = node.get("operator"), node.get("conditions")
    if operator not in ("AND", "OR", "NOT"):
        raise FilterError(f"filter operator {operator!r} is unknown", "join conditions by AND, OR or NOT")
    if not isinstance(conditions, list) or not conditions:
        raise FilterError(f"filter {operator} has no conditions", 'give them as a list: "conditions": [...]')
    if len(conditions) > CONDITIONS_LIMIT:
        raise FilterError(
            f"filter is too large ({len(conditions)} conditions)",
            f"join at most {CONDITIONS_LIMIT}",
            code="filter_too_large",
        )
    parts = [_compile(condition, depth + 1) for condition in conditions]
    values = [value for _, part in parts for value in part]
    joined = f" {'OR' if operator == 'OR' else 'AND'} ".join(f"({sql})" for sql, _ in parts)
    return (f"NOT ({joined})" if operator == "NOT" else joined), values


def _comparison(node: dict[str, Any]) -> tuple[str, list[Any]]:
    missing = [key for key in ("field", "operator", "value") if key not in node]
    if missing:
        raise FilterError(f"filter {json.dumps(node, default=str)} lacks {missing[0]!r}", f"write it like {EXAMPLE}")
    field, path = _field(node["field"])
    operator, value = node["operator"], node["value"]
    if field == COLUMNS["source"] and operator in ("==", "!=") and isinstance(value, str) and _storable(value):
        return _source(operator == "!=", [value])
    if operator in ("in", "not in"):
        return _membership(field, path, operator, value)
    if operator == "glob":
        return _glob(field, path, value)
    if not isinstance(operator, str) or operator not in COMPARISONS:
        known = ", ".join([*COMPARISONS, "in", "not in", "glob"])
        raise FilterError(f"filter operator {operator!r} is unknown", f"use one of: {known}")
    if not _storable(value) or (operator not in ("==", "!=") and (value is None or isinstance(value, bool))):
        raise FilterError(f"filter value {value!r} cannot be compared by {operator}", "give a number or a string")
    if operator in ("==", "!="):
        clause, values = _equal(field, path, value)
        return (f"NOT {clause}" if operator == "!=" else clause), values
    comparison = f"{field} {COMPARISONS[operator]} ?"
    kind = "text" if isinstance(value, str) else "number"
    wanted = "('text')" if kind == "text" else "('integer', 'real')"
    return f"({comparison} AND typeof({field}) IN {wanted})", [*path, value, *path]


def _equal(field: str, path: list[str], value: Any) -> tuple[str, list[Any]]:
    clause, values = _among_elements(path, [value])
    return f"({field} IS ? OR {clause})", [*path, value, *values]


def _among_elements(path: list[str], wanted: list[Any]) -> tuple[str, list[Any]]:
    """Return the condition that a list in the metadata has one of these elements; never so for a column."""
    finite = [value for value in wanted if value is not None and not (isinstance(value, float) and math.isinf(value))]
    if not path or not finite:
        return "FALSE", []
    return ELEMENTS, [path[0], json.dumps(finite), path[0], json.dumps(finite)]


def _membership(field: str, path: list[str], operator: str, value: Any) -> tuple[str, list[Any]]:
    if not isinstance(value, list) or any(isinstance(v, list | dict) for v in value):
        raise FilterError(f"filter value {value!r} is not a list", f"give {operator!r} a list of numbers or strings")
    for one in value:
        if not _storable(one):
            raise FilterError(f"filter value {one!r} cannot be compared by {operator}", "give a number or a string")
    if field == COLUMNS["source"] and len(value) <= TAILS_LIMIT and all(isinstance(one, str) for one in value):
        return _source(operator == "not in", value)
    elements, inside = _among_elements(path, value)
    clause = f"(COALESCE({field} IN ({','.join('?' * len(value))}), FALSE) OR {elements})"
    values = [*path, *value, *inside]
    if None in value:
        clause, values = f"({clause} OR {field} IS NULL)", [*values, *path]
    return (f"NOT {clause}" if operator == "not in" else clause), values


def _source(denied: bool, wanted: list[Any]) -> tuple[str, list[Any]]:
    """Return the condition that a source is one of these, or is told by them from a folder on."""
    ends = "substr(replace(d.source, '\\', '/'), -length('/' || w.value)) = '/' || replace(w.value, '\\', '/')"
    clause = f"EXISTS (SELECT 1 FROM json_each(?) w WHERE {COLUMNS['source']} = w.value OR {ends})"
    return (f"NOT {clause}" if denied else clause), [json.dumps(wanted)]


def _glob(field: str, path: list[str], value: Any) -> tuple[str, list[Any]]:
    if not isinstance(value, str) or not _is_unicode(value) or len(value) > GLOB_LIMIT:
        raise FilterError(f"filter value {value!r:.80} is no pattern", "give 'glob' a short text, as in 'reports/*'")
    text = f"lower({field})"
    if field == COLUMNS["source"]:
        text, value = f"replace({text}, '\\', '/')", value.replace("\\", "/")
    # only A-Z, as SQLite's lower() does; a bracket would begin a class of characters
    pattern = re.sub("[A-Z]", lambda letter: letter[0].lower(), value).replace("[", "[[]")
    return f"COALESCE({text} GLOB ?, FALSE)", [*path, pattern]


def _storable(value: Any) -> bool:
    """Say whether SQLite can hold the value as what it is (it takes NaN for NULL)."""
    if isinstance(value, str):
        return _is_unicode(value)
    if isinstance(value, int):
        return -(2**63) <= value < 2**63
    return value is None or (isinstance(value, float) and value == value)  # noqa: PLR0124 - not NaN


def _is_unicode(text: str) -> bool:
    return not any("\ud800" <= character <= "\udfff" for character in text)


def is_key(name: str) -> bool:
    """Say whether a JSON path can hold the name between double quotes."""
    return _is_unicode(name) and not any(character < " " or character == '"' for character in name)


def _field(name: Any) -> tuple[str, list[str]]:
    if not isinstance(name, str) or not name.removeprefix("meta.") or not is_key(name):
        raise FilterError(f"filter field {name!r} is not a name", f"write it like {EXAMPLE}")
    key = name.removeprefix("meta.")
    if key in COLUMNS:
        return COLUMNS[key], []
    if _unescaped(key) == ACCESS_FIELD:
        raise FilterError(
            f"filter field {ACCESS_FIELD!r} is not for callers",
            "set KHUB_ACCESS where the hub runs",
            code="filter_field_not_allowed",
        )
    return _metadata(key)


def _unescaped(key: str) -> str:
    r"""Return the key that SQLite takes this one for: it reads `\u005f` as JSON does."""
    try:
        return str(json.loads(f'"{key}"'))
    except ValueError:
        return key


def field_path(key: str) -> str:
    """Return the JSON path of a field in metadata."""
    return f'$."{key}"'


def _metadata(key: str) -> tuple[str, list[str]]:
    path = field_path(key)
    return "COALESCE(json_extract(c.meta, ?), json_extract(d.meta, ?))", [path, path]
