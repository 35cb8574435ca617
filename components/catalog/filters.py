"""Haystack metadata filters as SQL over the catalog."""

import json
import math
import operator
from typing import Any

from khub.components.catalog.access import ACCESS_FIELD, access_levels, caller
from khub.components.catalog.database import ascii_lower
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
NUMBERS = ("d.size", "c.page", "c.page_first", "c.page_last", "c.ordinal")
"""Columns of the others that hold no text."""
IS_NUMBER = "IN ('integer', 'real')"
"""That a value in metadata is a number; none of the two databases need read a text as one then."""
TEXTS_OF = "SELECT value FROM json_each(?)"
NUMBERS_OF = "SELECT CAST(value AS NUMERIC) FROM json_each(?)"
COMPARISONS = {"==": "=", "!=": "<>", ">": ">", ">=": ">=", "<": "<", "<=": "<="}
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
    _require_few(len(values))
    return clause, values


def access_clause() -> tuple[str, list[Any]]:
    """Return a WHERE clause over `chunks c, documents d` that keeps what the caller may read, and its values.

    Where levels restrict it, a chunk without `access_level` is not kept.

    :raises FilterError: if `$KHUB_ACCESS` names no level.
    """
    levels, (among, names) = access_levels(), collections_clause()
    if levels is None:
        return among, names
    clause, values = _any_of(_Metadata(ACCESS_FIELD), list(levels))
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
    return f"EXISTS (SELECT 1 FROM (SELECT 1 AS row) one LEFT JOIN chunks c ON {own})", values


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
    field = _field(node["field"])
    asked, value = node["operator"], node["value"]
    if asked in ("in", "not in"):
        return _membership(field, asked, value)
    if asked == "glob":
        return _glob(field, value)
    if not isinstance(asked, str) or asked not in COMPARISONS:
        known = ", ".join([*COMPARISONS, "in", "not in", "glob"])
        raise FilterError(f"filter operator {asked!r} is unknown", f"use one of: {known}")
    if not _storable(value) or (asked not in ("==", "!=") and (value is None or isinstance(value, bool))):
        raise FilterError(f"filter value {value!r} cannot be compared by {asked}", "give a number or a string")
    if asked in ("==", "!="):
        clause, values = _any_of(field, [value])
        return (f"NOT {clause}" if asked == "!=" else clause), values
    return field.ordered(COMPARISONS[asked], value)


class _Column:
    """A column of the catalog as a filter compares it; the types of both sides decide, as they do in SQLite.

    :param name: with the table's.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.text = name, list[Any]()

    def ordered(self, comparison: str, value: Any) -> tuple[str, list[Any]]:
        """Return the condition that it comes before or behind a value of its own type."""
        if isinstance(value, str) == (self.name in NUMBERS):
            return "FALSE", []
        return f"COALESCE({self.name} {comparison} ?, FALSE)", [value]

    def among(self, values: list[Any]) -> tuple[str, list[Any]]:
        """Return the condition that it is one of these values, of which none is None."""
        wanted = [one for one in map(_number if self.name in NUMBERS else _text, values) if one is not None]
        if not wanted:
            return "FALSE", []
        values_of = NUMBERS_OF if self.name in NUMBERS else TEXTS_OF
        return f"COALESCE({self.name} IN ({values_of}), FALSE)", [json.dumps(wanted, ensure_ascii=False)]

    def missing(self) -> tuple[str, list[Any]]:
        """Return the condition that it has no value."""
        return f"{self.name} IS NULL", []


class _Metadata:
    """A field of a chunk's metadata, or else of its document's: a chunk and its document never have the same key.

    :param key: its name.
    """

    def __init__(self, key: str) -> None:
        self._path = field_path(key)
        self.text = "COALESCE(json_extract(c.meta, ?), json_extract(d.meta, ?))", [self._path, self._path]
        self._kind = "COALESCE(NULLIF(json_type(c.meta, ?), 'null'), json_type(d.meta, ?))"

    def ordered(self, comparison: str, value: Any) -> tuple[str, list[Any]]:
        """Return the condition that it comes before or behind a value of its own type; yes is 1, and no is 0."""
        field, path = self.text
        if isinstance(value, str):
            return f"COALESCE({self._kind} = 'text' AND {field} {comparison} ?, FALSE)", [*path, *path, value]
        compared = f"CASE WHEN {self._kind} {IS_NUMBER} THEN CAST({field} AS NUMERIC) {comparison} ? ELSE "
        order = {">": operator.gt, ">=": operator.ge, "<": operator.lt, "<=": operator.le}[comparison]
        yes, no = _sql(order(1, value)), _sql(order(0, value))
        either = f"CASE {self._kind} WHEN 'true' THEN {yes} WHEN 'false' THEN {no} ELSE FALSE END"
        return f"{compared}{either} END", [*path, *path, value, *path]

    def among(self, values: list[Any]) -> tuple[str, list[Any]]:
        """Return the condition that it is one of these values, or a list with one of them; none of them is None."""
        field, path = self.text
        single, compared = _typed(values, self._kind, field, path, path)
        parts, given = [single], compared
        for table in ("c", "d"):
            one, wanted = _typed(values, "one.type", "one.atom", [], [])
            held = f"EXISTS (SELECT 1 FROM json_each({table}.meta, ?) one WHERE {one})"
            parts.append(f"(json_type({table}.meta, ?) = 'array' AND {held})")
            given = [*given, self._path, self._path, *wanted]
        return f"COALESCE({' OR '.join(parts)}, FALSE)", given

    def missing(self) -> tuple[str, list[Any]]:
        """Return the condition that it has no value."""
        field, path = self.text
        return f"{field} IS NULL", path


def _typed(values: list[Any], kind: str, field: str, of_kind: list[Any], of_field: list[Any]) -> tuple[str, list[Any]]:
    """Return the condition that a value of JSON is one of these: a text only equals a text, and yes equals 1.

    :param kind: SQL for its type, :param field: for its text, with the values of the two.
    """
    texts = [value for value in values if isinstance(value, str)]
    numbers = [+value for value in values if not isinstance(value, str) and math.isfinite(value)]
    parts, given = list[str](), list[Any]()
    if texts:
        parts.append(f"({kind} = 'text' AND {field} IN ({TEXTS_OF}))")
        given += [*of_kind, *of_field, json.dumps(texts, ensure_ascii=False)]
    if numbers:
        number = f"CASE WHEN {kind} {IS_NUMBER} THEN CAST({field} AS NUMERIC) END"
        parts.append(f"COALESCE({number} IN ({NUMBERS_OF}), FALSE)")
        given += [*of_kind, *of_field, json.dumps(numbers)]
    for word, number_of_it in (("true", 1), ("false", 0)):
        if number_of_it in numbers:
            parts.append(f"{kind} = '{word}'")
            given += of_kind
    return " OR ".join(parts) or "FALSE", given


def _any_of(field: _Column | _Metadata, values: list[Any]) -> tuple[str, list[Any]]:
    """Return the condition that a field is one of these values; None is a missing one."""
    known = [value for value in values if value is not None]
    if field.text[0] == COLUMNS["source"] and len(known) <= TAILS_LIMIT and all(isinstance(v, str) for v in known):
        clause, given = _source(known)
    else:
        clause, given = field.among(known) if known else ("FALSE", [])
    if None in values:
        missing, path = field.missing()
        clause, given = f"({clause} OR {missing})", [*given, *path]
    return f"({clause})", given


def _membership(field: _Column | _Metadata, asked: str, value: Any) -> tuple[str, list[Any]]:
    if not isinstance(value, list) or any(isinstance(v, list | dict) for v in value):
        raise FilterError(f"filter value {value!r} is not a list", f"give {asked!r} a list of numbers or strings")
    _require_few(len(value))
    for one in value:
        if not _storable(one):
            raise FilterError(f"filter value {one!r} cannot be compared by {asked}", "give a number or a string")
    clause, values = _any_of(field, value)
    return (f"NOT {clause}" if asked == "not in" else clause), values


def _require_few(count: int) -> None:
    if count > VALUES_LIMIT:
        raise FilterError(
            f"filter is too large ({count} values)", f"give at most {VALUES_LIMIT}", code="filter_too_large"
        )


def _number(value: Any) -> int | float | None:
    """Return a value as a column of numbers compares it; None where it is none."""
    if isinstance(value, int | float):
        return +value  # of True, 1
    try:
        return int(value)
    except ValueError:
        return None


def _text(value: Any) -> str:
    """Return a value as a column of texts compares it."""
    return value if isinstance(value, str) else str(+value)


def _sql(value: bool) -> str:
    return "TRUE" if value else "FALSE"


def _source(wanted: list[Any]) -> tuple[str, list[Any]]:
    """Return the condition that a source is one of these, or is told by them from a folder on."""
    path, tail = "replace(d.source, '\\', '/')", "'/' || replace(w.value, '\\', '/')"
    ends = f"substr({path}, length(d.source) - length(w.value)) = {tail}"
    clause = f"EXISTS (SELECT 1 FROM json_each(?) w WHERE {COLUMNS['source']} = w.value OR {ends})"
    return clause, [json.dumps(wanted, ensure_ascii=False)]


def _glob(field: _Column | _Metadata, value: Any) -> tuple[str, list[Any]]:
    if not isinstance(value, str) or not _is_unicode(value) or len(value) > GLOB_LIMIT:
        raise FilterError(f"filter value {value!r:.80} is no pattern", "give 'glob' a short text, as in 'reports/*'")
    name, path = field.text
    text = f"lower({name})"
    if name == COLUMNS["source"]:
        text, value = f"replace({text}, '\\', '/')", value.replace("\\", "/")
    pattern = ascii_lower(value).replace("[", "[[]")  # a bracket would begin a class of characters
    return f"COALESCE(glob(?, {text}), FALSE)", [pattern, *path]


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


def _field(name: Any) -> _Column | _Metadata:
    if not isinstance(name, str) or not name.removeprefix("meta.") or not is_key(name):
        raise FilterError(f"filter field {name!r} is not a name", f"write it like {EXAMPLE}")
    key = name.removeprefix("meta.")
    if key in COLUMNS:
        return _Column(COLUMNS[key])
    if _unescaped(key) == ACCESS_FIELD:
        raise FilterError(
            f"filter field {ACCESS_FIELD!r} is not for callers",
            "set KHUB_ACCESS where the hub runs",
            code="filter_field_not_allowed",
        )
    return _Metadata(key)


def _unescaped(key: str) -> str:
    r"""Return the key that SQLite takes this one for: it reads `\u005f` as JSON does."""
    try:
        return str(json.loads(f'"{key}"'))
    except ValueError:
        return key


def field_path(key: str) -> str:
    """Return the JSON path of a field in metadata."""
    return f'$."{key}"'
