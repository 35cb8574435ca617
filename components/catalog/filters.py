"""Haystack metadata filters as SQL over the catalog."""

import json
from typing import Any

from components.errors import FilterError

COLUMNS = {
    "doc_id": "d.doc_id",
    "source": "d.source",
    "doc_type": "d.doc_type",
    "title": "d.title",
    "tags": "d.tags",
    "size": "d.size",
    "ingested_at": "d.ingested_at",
    "id": "c.chunk_id",
    "content": "c.content",
    "section": "c.section",
    "page": "c.page",
    "language": "c.language",
    "ordinal": "c.ordinal",
}
COMPARISONS = {"==": "IS", "!=": "IS NOT", ">": ">", ">=": ">=", "<": "<", "<=": "<="}
EXAMPLE = '{"field": "meta.doc_type", "operator": "==", "value": "pdf"}'


def compile_filters(filters: dict[str, Any]) -> tuple[str, list[Any]]:
    """Return a WHERE clause over `chunks c, documents d` and its values.

    A field is a column of the catalog or any key of a document's or chunk's metadata; a missing field equals None, so
    that it passes `!=` and `not in` alone (Haystack's own rule).

    :param filters: a Haystack filter: a comparison, or AND / OR / NOT over conditions.
    :raises FilterError: naming the part that does not parse.
    """
    if not isinstance(filters, dict):
        raise FilterError(f"filter {filters!r} is not an object", f"write it like {EXAMPLE}")
    if "conditions" in filters or filters.get("operator") in ("AND", "OR", "NOT"):
        return _logic(filters)
    return _comparison(filters)


def _logic(node: dict[str, Any]) -> tuple[str, list[Any]]:
    operator, conditions = node.get("operator"), node.get("conditions")
    if operator not in ("AND", "OR", "NOT"):
        raise FilterError(f"filter operator {operator!r} is unknown", "join conditions by AND, OR or NOT")
    if not isinstance(conditions, list) or not conditions:
        raise FilterError(f"filter {operator} has no conditions", 'give them as a list: "conditions": [...]')
    parts = [compile_filters(condition) for condition in conditions]
    values = [value for _, part in parts for value in part]
    joined = f" {'OR' if operator == 'OR' else 'AND'} ".join(f"({sql})" for sql, _ in parts)
    return (f"NOT ({joined})" if operator == "NOT" else joined), values


def _comparison(node: dict[str, Any]) -> tuple[str, list[Any]]:
    missing = [key for key in ("field", "operator", "value") if key not in node]
    if missing:
        raise FilterError(f"filter {json.dumps(node, default=str)} lacks {missing[0]!r}", f"write it like {EXAMPLE}")
    field, path = _field(node["field"])
    operator, value = node["operator"], node["value"]
    if operator in ("in", "not in"):
        return _membership(field, path, operator, value)
    if operator not in COMPARISONS:
        known = ", ".join([*COMPARISONS, "in", "not in"])
        raise FilterError(f"filter operator {operator!r} is unknown", f"use one of: {known}")
    if isinstance(value, list | dict) or (operator not in ("==", "!=") and (value is None or isinstance(value, bool))):
        raise FilterError(f"filter value {value!r} cannot be compared by {operator}", "give a number or a string")
    comparison = f"{field} {COMPARISONS[operator]} ?"
    if operator in ("==", "!="):
        return comparison, [*path, value]
    kind = "text" if isinstance(value, str) else "number"
    wanted = "('text')" if kind == "text" else "('integer', 'real')"
    return f"({comparison} AND typeof({field}) IN {wanted})", [*path, value, *path]


def _membership(field: str, path: list[str], operator: str, value: Any) -> tuple[str, list[Any]]:
    if not isinstance(value, list) or any(isinstance(v, list | dict) for v in value):
        raise FilterError(f"filter value {value!r} is not a list", f"give {operator!r} a list of numbers or strings")
    clause = f"COALESCE({field} IN ({','.join('?' * len(value))}), FALSE)"
    return (f"NOT {clause}" if operator == "not in" else clause), [*path, *value]


def _field(name: Any) -> tuple[str, list[str]]:
    if not isinstance(name, str) or not name.removeprefix("meta."):
        raise FilterError(f"filter field {name!r} is not a name", f"write it like {EXAMPLE}")
    key = name.removeprefix("meta.")
    if key in COLUMNS:
        return COLUMNS[key], []
    path = '$."' + key.replace('"', "") + '"'
    return "COALESCE(json_extract(c.meta, ?), json_extract(d.meta, ?))", [path, path]
