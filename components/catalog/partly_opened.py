"""What is shown of a document of which `$KHUB_ACCESS` opens some chunks and not all."""

import json
from collections.abc import Sequence
from typing import Any

from khub.components.catalog.access import access_levels
from khub.components.catalog.database import Database
from khub.components.catalog.document_row import DocumentRow
from khub.components.catalog.filters import IS_WHOLE, access_clause, collections_clause
from khub.components.catalog.found_metadata import FOUND
from khub.components.catalog.parts import parts_clause
from khub.components.catalog.visible_chunks import BY_DOCUMENT

LOOKUP_SIZE = 500
CHUNKS_OF = "documents d LEFT JOIN chunks c ON c.doc_id = d.doc_id AND c.version = d.version"
ON_ITS_PAGE = "(COALESCE(i.page, 0) = 0 OR c.page_first IS NULL OR i.page BETWEEN c.page_first AND c.page_last)"
HOLDS_IT = "EXISTS (SELECT 1 FROM json_each(c.meta, '$.image_refs') r WHERE r.value = i.image_id)"
"""That a chunk `c` is, or may be, on the page of a picture `i`, and that it holds the picture's mark."""


def as_far_as_opened(database: Database, rows: Sequence[DocumentRow]) -> list[DocumentRow]:
    """Return rows of documents, each of which has an opened chunk, without what only the whole document could tell.

    Where not all is opened, `chunks`, `pages` and `language` are those of the opened chunks (the last page, and the
    language of the first), and what enrichment made of the whole text (summary, tags) is left out of `meta`.

    :param rows: with `doc_id`, `chunks`, `pages`, `language`, and `meta` as a dict.
    :raises FilterError: if `$KHUB_ACCESS` is set and names no level.
    """
    if access_levels() is None:
        return list(rows)
    opened = {
        found["doc_id"]: found
        for start in range(0, len(rows), LOOKUP_SIZE)
        for found in _opened(database, [row["doc_id"] for row in rows[start : start + LOOKUP_SIZE]])
    }
    return [_shown(row, opened.get(row["doc_id"])) for row in rows]


def document_is_opened(database: Database, doc_id: str) -> bool:
    """Say whether a document that the caller may see is opened as a whole: none of its chunks is closed.

    Nor of what is attached to a mail: the mail's file holds it. Where nothing of it was ever read, its own level tells.

    :raises FilterError: if `$KHUB_ACCESS` is set and names no level.
    """
    if access_levels() is None:
        return True
    found = database.row(f"SELECT 1 FROM {CHUNKS_OF} WHERE d.doc_id = ? AND {IS_WHOLE} LIMIT 1", (doc_id,))
    return found is not None and not closed_among(database, [doc_id])


def closed_among(database: Database, doc_ids: Sequence[str]) -> set[str]:
    """Return the documents, known to the caller or not, of which a chunk, or one of what is attached, is closed to it.

    A file of which nothing was ever read is closed to whom the level that was given with it does not open it.

    :raises FilterError: if `$KHUB_ACCESS` is set and names no level.
    """
    if access_levels() is None:
        return set()
    access, levels = access_clause()
    asked = json.dumps(list(doc_ids))
    rows = database.rows(
        "WITH held(doc_id, of) AS (SELECT value, value FROM json_each(?) UNION ALL "
        f"SELECT p.doc_id, m.doc_id FROM documents m JOIN documents p ON {parts_clause('m', 'p')} "
        "WHERE m.doc_id IN (SELECT value FROM json_each(?))) "
        "SELECT DISTINCT h.of FROM held h JOIN documents d ON d.doc_id = h.doc_id "
        f"LEFT JOIN chunks c ON c.doc_id = d.doc_id AND c.version = d.version WHERE {IS_WHOLE} AND NOT {access}",
        (asked, asked, *levels),
    )
    return {row[0] for row in rows}


def collection_is_opened(database: Database, collection: str) -> bool:
    """Say whether all documents of a collection are opened as a whole.

    :raises FilterError: if `$KHUB_ACCESS` is set and names no level.
    """
    if access_levels() is None:
        return True
    access, levels = access_clause()
    closed = database.row(
        f"SELECT 1 FROM {CHUNKS_OF} WHERE d.collection = ? AND (NOT {IS_WHOLE} OR NOT {access}) LIMIT 1",
        (collection, *levels),
    )
    return closed is None


def page_is_opened(database: Database, doc_id: str, page: int) -> bool:
    """Say whether a page may be shown as a whole: no chunk on it is closed, and one that is on it is opened.

    A closed chunk without a page may stand on any. Where everything is opened, a page needs no chunk.

    :param page: from 1.
    :raises FilterError: if `$KHUB_ACCESS` is set and names no level.
    """
    if access_levels() is None:
        among, names = collections_clause()
        return among == "TRUE" or bool(
            database.row(f"SELECT 1 FROM documents d WHERE doc_id = ? AND {among}", (doc_id, *names))
        )
    access, levels = access_clause()
    row = database.row(
        f"SELECT COUNT(*) FILTER (WHERE NOT {access}) AS closed, "
        f"COUNT(*) FILTER (WHERE {access} AND c.page_first IS NOT NULL) AS opened "
        "FROM chunks c JOIN documents d ON d.doc_id = c.doc_id AND d.version = c.version "
        "WHERE c.doc_id = ? AND (c.page_first IS NULL OR ? BETWEEN c.page_first AND c.page_last)",
        (*levels, *levels, doc_id, page),
    )
    return row is not None and not row["closed"] and bool(row["opened"])


def picture_access_clause() -> tuple[str, list[Any]]:
    """Return a WHERE clause over `images i, documents d` that keeps what may be shown, and its values.

    A picture belongs to the chunks that hold its mark, and one of them is opened and none is closed. One that no chunk
    holds is shown with its page, and where it has no page with the whole document.

    :raises FilterError: if `$KHUB_ACCESS` is set and names no level.
    """
    if access_levels() is None:
        return collections_clause()
    access, levels = access_clause()
    holders = _has_chunk(f"{HOLDS_IT} AND {access}"), _has_chunk(f"{HOLDS_IT} AND NOT {access}")
    page = _has_chunk(f"{ON_ITS_PAGE} AND {access}"), _has_chunk(f"{ON_ITS_PAGE} AND NOT {access}")
    return f"(({holders[0]} OR ({page[0]} AND NOT {page[1]})) AND NOT {holders[1]})", levels * 4


def _has_chunk(condition: str) -> str:
    return f"EXISTS (SELECT 1 FROM chunks c WHERE c.doc_id = d.doc_id AND c.version = d.version AND {condition})"


def _opened(database: Database, doc_ids: Sequence[str]) -> list[Any]:
    access, levels = access_clause()
    return database.rows(
        "SELECT o.doc_id, o.chunks, o.pages, f.language FROM (SELECT d.doc_id, d.version, COUNT(*) AS chunks, "
        f"MAX(c.page_last) AS pages, MIN(c.ordinal) AS first FROM {BY_DOCUMENT} "
        f"AND d.doc_id IN (SELECT value FROM json_each(?)) AND {access} GROUP BY d.doc_id, d.version) o "
        "JOIN chunks f ON f.doc_id = o.doc_id AND f.version = o.version AND f.ordinal = o.first",
        (json.dumps(list(doc_ids)), *levels),
    )


def _shown(row: DocumentRow, opened: Any) -> DocumentRow:
    if opened is None or opened["chunks"] == row["chunks"]:
        return row
    made = (*row["meta"].get(FOUND, ()), FOUND)
    meta = {key: value for key, value in row["meta"].items() if key not in made}
    return {**row, "chunks": opened["chunks"], "pages": opened["pages"], "language": opened["language"], "meta": meta}
