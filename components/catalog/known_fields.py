"""Fields of a filter that no document has: a slip, which would look like an honest "nothing matches"."""

import json
from collections.abc import Iterator, Sequence
from typing import Any

from components.catalog.access import ACCESS_FIELD
from components.catalog.database import Database
from components.catalog.filters import COLUMNS, access_clause, compile_filters, document_access_clause, field_path
from components.errors import FilterError
from components.text.nearest_name import nearest

OWN = ("doc_type", "source", "title", "section", "page", "language", "size", "ingested_at", "doc_id")
"""Fields that every document has, as they are told."""
UNTOLD = ("found_metadata", "degraded_stages", ACCESS_FIELD)
"""Metadata that the hub keeps for itself."""
MOST_TOLD = 30


def require_known_fields(database: Database, collections: Sequence[str], filters: dict[str, Any] | None) -> None:
    """Let pass a filter whose fields some document of the collections has.

    A field that is also compared with None may be missing.

    :param database: the catalog's.
    :raises FilterError: naming a field that no document has, and those that there are; or if it does not parse.
    """
    if not filters or not collections:
        return
    among = json.dumps([*collections])
    compile_filters(filters)
    for field in dict.fromkeys(_fields(filters)):
        if field not in COLUMNS and not _is_there(database, among, field):
            known = [*OWN, *_metadata(database, among)]
            similar = nearest(field, known, "")
            remedy = f"{similar} fields are: {', '.join(known[:MOST_TOLD])}".strip()
            raise FilterError(f"no document has a field {field[:100]!r}", remedy)


def _fields(filters: dict[str, Any]) -> list[str]:
    comparisons = [(one["field"].removeprefix("meta."), one["value"]) for one in _comparisons(filters)]
    may_lack = {field for field, value in comparisons if value is None}
    return [field for field, _ in comparisons if field not in may_lack]


def _comparisons(node: dict[str, Any]) -> Iterator[dict[str, Any]]:
    if "conditions" not in node:
        yield node
    for condition in node.get("conditions", ()):
        yield from _comparisons(condition)


def _is_there(database: Database, among: str, field: str) -> bool:
    path = field_path(field)
    (of_document, levels), (of_chunk, chunk_levels) = document_access_clause(), access_clause()
    documents = (
        "SELECT 1 FROM documents d WHERE d.collection IN (SELECT value FROM json_each(?)) AND d.version > 0 "
        f"AND json_type(d.meta, ?) IS NOT NULL AND {of_document} LIMIT 1"
    )
    chunks = (
        "SELECT 1 FROM chunks c JOIN documents d ON d.doc_id = c.doc_id AND d.version = c.version "
        "WHERE c.collection IN (SELECT value FROM json_each(?)) "
        f"AND json_type(c.meta, ?) IS NOT NULL AND {of_chunk} LIMIT 1"
    )
    return bool(database.row(documents, (among, path, *levels)) or database.row(chunks, (among, path, *chunk_levels)))


def _metadata(database: Database, among: str) -> list[str]:
    clause, levels = document_access_clause()
    rows = database.rows(
        "SELECT DISTINCT m.key FROM documents d, json_each(d.meta) m "
        "WHERE d.collection IN (SELECT value FROM json_each(?)) AND d.version > 0 "
        f"AND {clause} ORDER BY m.key",
        (among, *levels),
    )
    return [row[0] for row in rows if row[0] not in UNTOLD]
