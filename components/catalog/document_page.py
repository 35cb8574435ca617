"""A page of the documents of a collection, or of all, in an order that a reader chooses."""

from dataclasses import dataclass
from typing import Any

from khub.components.catalog.access import access_levels
from khub.components.catalog.database import Database, ascii_lower
from khub.components.catalog.documents import LEAST_OF_ID, LISTED
from khub.components.catalog.filters import access_clause, having
from khub.components.catalog.found_metadata import FOUND
from khub.components.catalog.scanned_pages import READS_SCANS

COMPARED = 300
"""So many characters of a text are compared; documents that have them in common stand in the order of their ids."""
MOST_WORDS = 20
"""So many words are looked for in title and source."""
PATH = "replace(d.source, '\\', '/')"
FILE_NAME = f"replace({PATH}, rtrim({PATH}, replace({PATH}, '/', '')), '')"
KEYS = {
    "source": f"substr(d.source, 1, {COMPARED})",
    "title": f"substr(lower(COALESCE(NULLIF(d.title, ''), {FILE_NAME})), 1, {COMPARED})",
    "updated_at": "d.updated_at",
    "type": "COALESCE(d.doc_type, '')",
    "language": "COALESCE(d.language, '')",
    "pages": "COALESCE(d.pages, 0)",
    "chunks": "d.chunks",
}
NEEDS: dict[str, tuple[str, list[Any]]] = {
    "again": ("d.error IS NOT NULL", []),
    "ocr": ("(json_extract(d.meta, '$.needs_ocr') IS NOT NULL OR instr(d.remedy, ?) = 1)", [READS_SCANS]),
}
"""What somebody has to do: ingest again what failed the last time; have scans read."""
COUNTED = {
    "pages": "COALESCE(MAX(c.page_last), 0)",
    "chunks": "COUNT(*)",
    "language": "COALESCE(MIN(c.language), '')",
}
"""What only the whole document could tell: where levels restrict the reader, the order comes of what is opened."""


@dataclass(frozen=True)
class Wanted:
    """Which documents are listed, and how.

    :param collection: its name; None for all that the caller has.
    :param filters: a Haystack filter that one of a document's passages must pass.
    :param text: words that title or source hold, the case of A to Z aside; or what an id begins with.
    :param status: `ready` or `failed`.
    :param sort: one of `KEYS`.
    :param need: one of `NEEDS`; nobody whom levels restrict is told: it may be of a part that they cannot open.
    :param tag: one of the document's own tags; as a filter it would be looked for in each of the passages.
    """

    collection: str | None
    filters: dict[str, Any] | None = None
    text: str | None = None
    status: str | None = None
    sort: str = "source"
    descending: bool = False
    need: str | None = None
    tag: str | None = None


def count_documents(database: Database, wanted: Wanted) -> int:
    """Return how many documents there are in all.

    :raises FilterError: if the filter does not parse, or `$KHUB_ACCESS` names no level.
    """
    clause, values = _clause(wanted)
    row = database.row(f"SELECT COUNT(*) FROM documents d WHERE {clause}", values)
    return row[0] if row else 0


def page_of_documents(
    database: Database, wanted: Wanted, after: tuple[str | int, str] | None, limit: int, offset: int = 0
) -> list[dict[str, Any]]:
    """Return rows of documents, each with its place in the order as `sort_key`.

    :param after: key and id of the last one of the page before.
    :param offset: so many are passed over.
    :raises FilterError: as `count_documents` does.
    """
    (clause, values), (key, key_values) = _clause(wanted), _key(wanted.sort)
    way, beyond = ("DESC", "<") if wanted.descending else ("ASC", ">")
    behind = f"WHERE (sort_key, doc_id) {beyond} (?, ?)" if after else ""
    rows = database.rows(
        f"SELECT * FROM (SELECT {LISTED}, {key} AS sort_key FROM documents d WHERE {clause}) listed {behind} "
        f"ORDER BY sort_key {way}, doc_id {way} LIMIT ? OFFSET ?",
        (*key_values, *values, *(after or ()), limit, offset),
    )
    return [dict(row) for row in rows]


def _clause(wanted: Wanted) -> tuple[str, list[Any]]:
    clause, values = having(wanted.filters)
    parts: list[str] = ["d.status <> 'pending'"]
    given: list[Any] = []
    if wanted.collection is not None:
        parts.append("d.collection = ?")
        given.append(wanted.collection)
    if wanted.status:
        parts.append("d.status = ?")
        given.append(wanted.status)
    if wanted.text:
        words = wanted.text.split()[:MOST_WORDS] or [wanted.text]
        held = " AND ".join(["instr(lower(COALESCE(d.title, '') || ' ' || d.source), ?) > 0"] * len(words))
        begins = f"(length(?) >= {LEAST_OF_ID} AND substr(d.doc_id, 1, length(?)) = ?)"
        parts.append(f"(({held}) OR {begins})")
        given += [*map(ascii_lower, words), *[wanted.text] * 3]
    if wanted.need:
        needed, need_values = NEEDS[wanted.need] if access_levels() is None else ("FALSE", [])
        parts.append(needed)
        given += need_values
    if wanted.tag:
        tagged, tag_values = _tagged(wanted.tag)
        parts.append(tagged)
        given += tag_values
    return " AND ".join([*parts, clause]), [*given, *values]


def _tagged(tag: str) -> tuple[str, list[Any]]:
    """Return the condition that a document has a tag; one found in its whole text is unknown to who may read a part."""
    tagged = "EXISTS (SELECT 1 FROM json_each(d.meta, '$.tags') WHERE atom = ?)"
    if access_levels() is None:
        return tagged, [tag]
    access, opened = access_clause()
    was_found = f"EXISTS (SELECT 1 FROM json_each(d.meta, '$.{FOUND}') WHERE atom = 'tags')"
    closed = f"EXISTS (SELECT 1 FROM chunks c WHERE c.doc_id = d.doc_id AND c.version = d.version AND NOT {access})"
    return f"({tagged} AND NOT ({was_found} AND {closed}))", [tag, *opened]


def _key(sort: str) -> tuple[str, list[Any]]:
    if sort not in COUNTED or access_levels() is None:
        return KEYS[sort], []
    access, opened = access_clause()
    of_it = f"FROM chunks c WHERE c.doc_id = d.doc_id AND c.version = d.version AND {access}"
    return f"(SELECT {COUNTED[sort]} {of_it})", opened
