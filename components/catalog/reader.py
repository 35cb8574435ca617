"""What a reader asks of the catalog: a document, its outline, a passage with its neighbours, a page."""

import json
from collections.abc import Sequence
from typing import Any, cast

from haystack import Document

from khub.components.catalog.access import access_levels
from khub.components.catalog.chunks import ALL, SHOWN, as_document
from khub.components.catalog.collection_overview import CollectionOverview
from khub.components.catalog.database import Database, ascii_lower
from khub.components.catalog.document_page import Wanted, count_documents, page_of_documents
from khub.components.catalog.document_row import DocumentRow
from khub.components.catalog.documents import LEAST_OF_ID, LISTED
from khub.components.catalog.filters import access_clause, document_access_clause, having
from khub.components.catalog.found_content import FoundContent, found_content
from khub.components.catalog.images import VISIBLE as PICTURES
from khub.components.catalog.partly_opened import (
    as_far_as_opened,
    collection_is_opened,
    document_is_opened,
    page_is_opened,
    picture_access_clause,
)
from khub.components.catalog.section_row import SectionRow
from khub.components.catalog.visible_chunks import VISIBLE

LOOKED_FOR = 60
"""Words of a question that pictures are looked for by; the rest of a long one adds nothing."""
STEP = " > "
"""Between the headings of a section's path."""


class CatalogReader:
    """Looks up what is visible and opened by `$KHUB_ACCESS`; nothing is written.

    Every look-up raises `FilterError` where that is set and names no level.

    :param database: the catalog's.
    """

    def __init__(self, database: Database) -> None:
        self._db = database

    def document(self, doc_id: str) -> DocumentRow | None:
        """Return a document by its id, whatever its collection; None if there is none."""
        access, opened = document_access_clause()
        row = self._db.row(
            f"SELECT {LISTED} FROM documents d WHERE doc_id = ? AND status <> 'pending' AND {access}", (doc_id, *opened)
        )
        return self._listed([row])[0] if row else None

    def documents_of(self, doc_ids: Sequence[str]) -> dict[str, DocumentRow]:
        """Return those of the documents that there are for the caller, by their ids."""
        access, opened = document_access_clause()
        rows = self._db.rows(
            f"SELECT {LISTED} FROM documents d WHERE doc_id IN (SELECT value FROM json_each(?)) "
            f"AND status <> 'pending' AND {access}",
            (json.dumps(list(doc_ids)), *opened),
        )
        return {row["doc_id"]: row for row in self._listed(rows)}

    def content_of(self, doc_ids: Sequence[str]) -> dict[str, FoundContent]:
        """Return how many tables and pictures documents hold, by their ids."""
        return found_content(self._db, doc_ids)

    def named(self, sha256: str | None = None, source: str | None = None, limit: int = 10) -> list[DocumentRow]:
        """Return documents of all collections by the hash of their file, or as people and models name them.

        :param source: source, its last part, title (the case of A to Z aside), id or the start of one; those with
            exactly this source go before all others.
        """
        clause, values = "sha256 = ?", (sha256,)
        if source is not None:
            clause = (
                "(source = ? OR substr(replace(source, '\\', '/'), length(source) - length(?) + 1) = ? "
                f"OR lower(title) = ? OR (length(?) >= {LEAST_OF_ID} AND substr(doc_id, 1, length(?)) = ?))"
            )
            tail = f"/{source}"
            values = (source, tail, tail, ascii_lower(source), source, source, source)  # type: ignore[assignment]
        access, opened = document_access_clause()
        rows = self._db.rows(
            f"SELECT {LISTED} FROM documents d WHERE status <> 'pending' AND {clause} AND {access} "
            "ORDER BY CASE WHEN source = ? THEN 0 ELSE 1 END, source LIMIT ?",
            (*values, *opened, source, limit),
        )
        exact = [row for row in rows if row["source"] == source]
        return self._listed(exact or rows)

    def documents(
        self, collection: str, offset: int, limit: int, filters: dict[str, Any] | None = None
    ) -> list[DocumentRow]:
        """Return a page of a collection's documents, by source.

        :param filters: a Haystack filter that one of a document's passages must pass.
        :raises FilterError: if the filter does not parse.
        """
        clause, values = having(filters)
        rows = self._db.rows(
            f"SELECT {LISTED} FROM documents d WHERE collection = ? AND status <> 'pending' AND {clause} "
            "ORDER BY source LIMIT ? OFFSET ?",
            (collection, *values, limit, offset),
        )
        return self._listed(rows)

    def page(
        self, wanted: Wanted, after: tuple[str | int, str] | None, limit: int, offset: int = 0
    ) -> tuple[int, list[DocumentRow]]:
        """Return how many documents there are in all, and a page of them.

        :param after: `sort_key` and id of the last one of the page before.
        :param offset: so many are passed over: where a reader goes to a page by its number.
        :raises FilterError: if the filter does not parse.
        """
        rows = page_of_documents(self._db, wanted, after, limit, offset)
        return count_documents(self._db, wanted), self._listed(rows)

    def document_ids(self, typed: str, limit: int) -> list[str]:
        """Return ids of documents that begin with `typed`, or whose title or source holds it; newest first."""
        access, opened = document_access_clause()
        rows = self._db.rows(
            "SELECT doc_id FROM documents d WHERE version > 0 AND (substr(doc_id, 1, length(?)) = ? "
            f"OR instr(lower(COALESCE(title, '') || ' ' || source), ?) > 0) AND {access} "
            "ORDER BY updated_at DESC LIMIT ?",
            (typed, typed, ascii_lower(typed), *opened, limit),
        )
        return [row[0] for row in rows]

    def count(self, collection: str, filters: dict[str, Any] | None = None) -> int:
        """Return the number of a collection's documents.

        :param filters: as for `documents`.
        """
        clause, values = having(filters)
        row = self._db.row(
            f"SELECT COUNT(*) FROM documents d WHERE collection = ? AND status <> 'pending' AND {clause}",
            (collection, *values),
        )
        return row[0] if row else 0

    def overview(self, collection: str) -> CollectionOverview:
        """Return `documents`, `chunks`, `pages`, `languages`, `doc_types` and `tags` (most first), and `changed_at`."""
        access, opened = document_access_clause()
        rows = self._db.rows(
            f"SELECT {LISTED} FROM documents d WHERE collection = ? AND version > 0 AND {access}",
            (collection, *opened),
        )
        documents = self._listed(rows)
        return {
            "documents": len(documents),
            "chunks": sum(row["chunks"] for row in documents),
            "pages": sum(row["pages"] or 0 for row in documents),
            "languages": _most_first(row["language"] for row in documents),
            "doc_types": _most_first(row["doc_type"] for row in documents),
            "tags": _most_first(tag for row in documents for tag in _list(row["meta"].get("tags"))),
            "changed_at": self._changed_at(collection, documents),
        }

    def _changed_at(self, collection: str, documents: list[DocumentRow]) -> str:
        if access_levels() is not None:  # when a closed document came or went is nobody's business
            return max((row["updated_at"] for row in documents), default="")
        changed = self._db.row("SELECT updated_at FROM collections WHERE name = ?", (collection,))
        return changed[0] if changed else ""

    def average_chunk(self, doc_id: str) -> int:
        """Return the mean length of a document's passages in characters; 0 if it has none."""
        access, opened = access_clause()
        row = self._db.row(
            f"SELECT AVG(LENGTH(c.content)) FROM {VISIBLE} WHERE c.doc_id = ? AND {access}", (doc_id, *opened)
        )
        return round(row[0]) if row and row[0] else 0

    def sections(self, doc_id: str) -> list[SectionRow]:
        """Return the sections that have text of their own: `path`, `chunks`, `characters`, `page_first`, `page_last`.

        In the order of the text.
        """
        access, opened = access_clause()
        rows = self._db.rows(
            "SELECT c.section AS path, COUNT(*) AS chunks, SUM(LENGTH(c.content)) AS characters, "
            f"MIN(c.page_first) AS page_first, MAX(c.page_last) AS page_last FROM {VISIBLE} WHERE c.doc_id = ? "
            f"AND {access} GROUP BY c.section ORDER BY MIN(c.ordinal)",
            (doc_id, *opened),
        )
        return [cast(SectionRow, dict(row)) for row in rows]

    def chunk(self, chunk_id: str) -> Document | None:
        """Return a visible passage, whatever its collection; None if there is none."""
        found = self._chunks("c.chunk_id = ?", (chunk_id,))
        return found[0] if found else None

    def chunks_called(self, name: str, limit: int = 10) -> list[Document]:
        """Return the visible passage with this id, or else those whose id begins so."""
        exact = self.chunk(name)
        if exact is not None or len(name) < LEAST_OF_ID:
            return [exact] if exact is not None else []
        return self._chunks("c.chunk_id > ? AND c.chunk_id < ?", (name, f"{name}\U0010ffff"), limit)

    def chunks_between(self, doc_id: str, first: int, last: int) -> list[Document]:
        """Return the passages of a document with these ordinals, both included."""
        return self._chunks("c.doc_id = ? AND c.ordinal BETWEEN ? AND ?", (doc_id, first, last))

    def chunks_of_section(self, doc_id: str, path: str) -> list[Document]:
        """Return the passages of a section and of those below it; the empty path is the whole document."""
        if not path:
            return self._chunks("c.doc_id = ?", (doc_id,))
        below = path + STEP
        return self._chunks(
            "c.doc_id = ? AND (c.section = ? OR substr(c.section, 1, ?) = ?)", (doc_id, path, len(below), below)
        )

    def chunks_of_pages(self, doc_id: str, first: int, last: int) -> list[Document]:
        """Return the passages of a document that have a part on these pages, both included."""
        return self._chunks("c.doc_id = ? AND c.page_first <= ? AND c.page_last >= ?", (doc_id, last, first))

    def chunks_after(self, doc_id: str, ordinal: int, limit: int) -> list[Document]:
        """Return the next passages of a document behind an ordinal."""
        return self._chunks("c.doc_id = ? AND c.ordinal > ?", (doc_id, ordinal), limit)

    def document_is_opened(self, doc_id: str) -> bool:
        """Say whether a document may be shown as a whole, its file too."""
        return document_is_opened(self._db, doc_id)

    def collection_is_opened(self, collection: str) -> bool:
        """Say whether all that is in a collection is opened."""
        return collection_is_opened(self._db, collection)

    def page_is_opened(self, doc_id: str, page: int) -> bool:
        """Say whether a page (from 1) may be shown as a whole, and not only those of its passages that are opened."""
        return page_is_opened(self._db, doc_id, page)

    def count_pictures(self, collection: str) -> int:
        """Return the number of a collection's pictures that the caller may see."""
        access, opened = picture_access_clause()
        row = self._db.row(
            f"SELECT COUNT(*) FROM {PICTURES} WHERE d.collection = ? AND {access}", (collection, *opened)
        )
        return row[0] if row else 0

    def pictures_with_words(self, collection: str, terms: Sequence[str], limit: int) -> list[str]:
        """Return ids of pictures whose caption, texts or description hold one of the terms, newest document first."""
        if not terms:
            return []
        words = "lower(i.caption || ' ' || i.alt || ' ' || i.text || ' ' || i.description)"
        terms = terms[:LOOKED_FOR]
        held = " OR ".join(f"instr({words}, ?) > 0" for _ in terms)
        access, opened = picture_access_clause()
        rows = self._db.rows(
            f"SELECT i.image_id FROM {PICTURES} WHERE d.collection = ? AND ({held}) AND {access} "
            "ORDER BY d.updated_at DESC LIMIT ?",
            (collection, *map(ascii_lower, terms), *opened, limit),
        )
        return [row[0] for row in rows]

    def _listed(self, rows: Sequence[Any]) -> list[DocumentRow]:
        return as_far_as_opened(
            self._db, [cast(DocumentRow, {**dict(row), "meta": json.loads(row["meta"])}) for row in rows]
        )

    def _chunks(self, clause: str, values: Sequence[Any], limit: int = ALL) -> list[Document]:
        access, opened = access_clause()
        rows = self._db.rows(
            f"SELECT {SHOWN} FROM {VISIBLE} WHERE ({clause}) AND {access} ORDER BY c.ordinal LIMIT ?",
            (*values, *opened, limit),
        )
        return [as_document(row) for row in rows]


def _list(value: Any) -> list[str]:
    """Return the words of a list; a single value is taken for a list of it."""
    if not value:
        return []
    return [str(item) for item in value] if isinstance(value, list) else [str(value)]


def _most_first(values: Any) -> list[str]:
    counts: dict[str, int] = {}
    for value in values:
        if value:
            counts[value] = counts.get(value, 0) + 1
    return sorted(counts, key=lambda value: (-counts[value], value))
