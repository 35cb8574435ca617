"""Chunks: the text that is shown, and which version of a document it belongs to."""

import functools
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from haystack import Document

from khub.components.catalog.access import access_levels
from khub.components.catalog.changes import note_changes
from khub.components.catalog.database import Database, json_text, now
from khub.components.catalog.deletion import delete_chunks, delete_documents, delete_superseded_files
from khub.components.catalog.document_meta import FileFields, PlaceFields
from khub.components.catalog.duplicate_rows import INDEXED, stage_duplicates
from khub.components.catalog.filters import access_clause, compile_filters
from khub.components.catalog.passage import BLANK, PassageMeta, changed
from khub.components.catalog.picture import DocumentPicture
from khub.components.catalog.visible_chunks import BY_DOCUMENT, VISIBLE

LOOKUP_SIZE = 500
ALL = 2**31 - 1
"""A limit beyond all that there is."""
OF_COLLECTION = "c.collection || ''"
"""The collection of a chunk, where the ids tell which rows are wanted, and not the index of collections."""
SHOWN = (
    'c.chunk_id, c.doc_id, c.ordinal, c.content, c.section, c.page, c.page_first, c.page_last, c.start, c."end", '
    "c.language, c.meta, d.source, d.title, d.doc_type, d.meta AS doc_meta"
)
COLUMNS = (*FileFields.__annotations__, *PlaceFields.__annotations__)
"""Metadata for which the catalog has columns."""


CHANGED = (
    "SELECT DISTINCT c.chunk_id FROM chunks c WHERE c.doc_id = ? AND c.version IN (?, ?) AND (NOT EXISTS "
    "(SELECT 1 FROM chunks o WHERE o.chunk_id = c.chunk_id AND o.doc_id = ? AND o.version IN (?, ?) "
    "AND o.version <> c.version AND o.text_hash = c.text_hash) "
    "OR EXISTS (SELECT 1 FROM duplicates u WHERE u.chunk_id = c.chunk_id))"
)
"""Chunks that two versions of a document do not both have with the same text, or that stand for others."""


@dataclass(frozen=True)
class NewDocument:
    """A document whose chunks are about to be written.

    :param meta: fields of the chunks that are the document's own (`source`, `sha256`, `title` …).
    :param extra: user metadata common to all chunks.
    :param pictures: its pictures.
    :param keep_original: keep a copy of its file.
    :param duplicates: id of a chunk without an embedding -> id of the chunk that the indexes hold in its place.
    :param keys: id of another chunk -> keys by which later ones find it.
    :param tokens: id of a chunk -> tokens of its embedded text (see `token_rows.packed`).
    """

    doc_id: str
    collection: str
    meta: dict[str, Any]
    extra: dict[str, Any]
    chunks: list[Document]
    pictures: list[DocumentPicture] = field(default_factory=list)
    keep_original: bool = False
    duplicates: dict[str, str] = field(default_factory=dict)
    keys: dict[str, list[str]] = field(default_factory=dict)
    tokens: dict[str, bytes] = field(default_factory=dict)

    @property
    def indexed(self) -> list[Document]:
        """The chunks that the indexes hold themselves."""
        return [chunk for chunk in self.chunks if chunk.id not in self.duplicates]


class Chunks:
    """Rows of the `chunks` table: a chunk is visible when its version is its document's."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def fetch(
        self, collection: str, chunk_ids: Sequence[str], fingerprint: str | None = None
    ) -> dict[str, tuple[Document, np.ndarray | None]]:
        """Return the visible chunks among `chunk_ids`, with their vectors where a fingerprint is given.

        Whatever shows a hit has it from here: what `$KHUB_ACCESS` does not open is not among them. `meta["text_hash"]`
        names the text that is embedded, under which its vector is kept.

        :raises FilterError: if `$KHUB_ACCESS` is set and names no level.
        """
        access, opened = access_clause()
        found: dict[str, tuple[Document, np.ndarray | None]] = {}
        join = " LEFT JOIN vectors v ON v.text_hash = c.text_hash AND v.fingerprint = ?" if fingerprint else ""
        column = ", v.vector" if fingerprint else ", NULL AS vector"
        for start in range(0, len(chunk_ids), LOOKUP_SIZE):
            part = chunk_ids[start : start + LOOKUP_SIZE]
            marks = ",".join("?" * len(part))
            rows = self._db.rows(
                f"SELECT {SHOWN}, c.text_hash{column} FROM {VISIBLE}{join} WHERE c.chunk_id IN ({marks}) "
                f"AND {OF_COLLECTION} = ? AND {access}",
                (*([fingerprint] if fingerprint else []), *part, collection, *opened),
            )
            for row in rows:
                vector = None if row["vector"] is None else np.frombuffer(row["vector"], "<f4")
                document = as_document(row)
                document.meta["text_hash"] = row["text_hash"]
                found[document.id] = (document, vector)
        return found

    def count(self, collection: str) -> int:
        """Return the number of visible chunks."""
        row = self._db.row(
            "SELECT COALESCE(SUM(chunks), 0) FROM documents WHERE collection = ? AND version > 0", (collection,)
        )
        return row[0] if row else 0

    def has_any(self, collection: str) -> bool:
        """Say whether `count` would return any: it looks at every document, this one at the first that has a chunk."""
        row = self._db.row(
            "SELECT 1 FROM documents WHERE collection = ? AND version > 0 AND chunks > 0 LIMIT 1", (collection,)
        )
        return row is not None

    def matching(self, collection: str, filters: dict[str, Any] | None) -> list[str] | None:
        """Return the ids of the visible chunks that a Haystack filter keeps and `$KHUB_ACCESS` opens.

        :returns: None where neither restricts anything.
        :raises FilterError: if the filter does not parse, or `$KHUB_ACCESS` names no level.
        """
        if filters is not None:
            return _matching(self._db, collection, *_kept(filters))
        clause, values = access_clause()
        if access_levels() is None:
            return None
        row = self._db.row("SELECT commits FROM collections WHERE name = ?", (collection,))
        return list(_opened(self._db, collection, row[0] if row else 0, clause, tuple(values)))

    def has_match(self, collection: str, filters: dict[str, Any]) -> bool:
        """Say whether `matching` would return any chunk.

        :raises FilterError: as `matching` does.
        """
        clause, values = _kept(filters)
        row = self._db.row(
            f"SELECT 1 FROM {BY_DOCUMENT} AND d.collection = ? AND {clause} LIMIT 1", (collection, *values)
        )
        return row is not None

    def visible(self, collection: str) -> Iterator[Document]:
        """Yield all visible chunks of a collection, in the order in which they came in."""
        return self._stream(collection, "TRUE")

    def indexed(self, collection: str) -> Iterator[Document]:
        """Yield those of the visible chunks that the indexes hold: all but the duplicates of others."""
        return self._stream(collection, INDEXED)

    def indexed_ids(self, collection: str) -> set[str]:
        """Return the ids of the visible chunks that the indexes hold."""
        rows = self._db.rows(f"SELECT c.chunk_id FROM {VISIBLE} WHERE c.collection = ? AND {INDEXED}", (collection,))
        return {row[0] for row in rows}

    def visible_ids(self, collection: str) -> set[str]:
        """Return the ids of all visible chunks."""
        rows = self._db.rows(
            f"SELECT c.chunk_id FROM {VISIBLE} WHERE c.collection = ?",
            (collection,),
        )
        return {row[0] for row in rows}

    def indexed_among(self, chunk_ids: Sequence[str]) -> Iterator[Document]:
        """Yield those of the chunks that are visible and that the indexes hold themselves."""
        for start in range(0, len(chunk_ids), LOOKUP_SIZE):
            part = chunk_ids[start : start + LOOKUP_SIZE]
            marks = ",".join("?" * len(part))
            rows = self._db.rows(f"SELECT {SHOWN} FROM {VISIBLE} WHERE c.chunk_id IN ({marks}) AND {INDEXED}", part)
            yield from map(as_document, rows)

    def text_hashes(self, doc_id: str) -> dict[str, str]:
        """Return chunk id -> hash of its embedded text, for what the indexes hold of a document's visible version."""
        rows = self._db.rows(
            f"SELECT c.chunk_id, c.text_hash FROM {VISIBLE} WHERE c.doc_id = ? AND {INDEXED}",
            (doc_id,),
        )
        return {row[0]: row[1] for row in rows}

    def stage(self, new: NewDocument, fingerprint: str) -> None:
        """Write the chunks of a document's next version, and their vectors; nobody sees them before `publish`.

        The vectors are written again here because whoever deletes an equal text meanwhile takes them for unused.
        """
        vectors = [(c.meta["text_hash"], fingerprint, np.asarray(c.embedding, "<f4").tobytes()) for c in new.indexed]
        with self._db.transaction() as connection:
            connection.execute(
                "INSERT INTO documents (doc_id, collection, source, status, updated_at) "
                "VALUES (?, ?, ?, 'pending', ?) ON CONFLICT DO NOTHING",
                (new.doc_id, new.collection, new.meta["source"], now()),
            )
            version = connection.execute("SELECT version FROM documents WHERE doc_id = ?", (new.doc_id,)).fetchone()[0]
            delete_chunks(connection, "c.doc_id = ? AND c.version = ?", (new.doc_id, version + 1))
            connection.executemany(
                f"INSERT INTO chunks VALUES ({','.join('?' * 16)})",
                [_row(chunk, version + 1, new) for chunk in new.chunks],
            )
            connection.executemany("INSERT INTO vectors VALUES (?, ?, ?) ON CONFLICT DO NOTHING", vectors)
            connection.executemany(
                "DELETE FROM removals WHERE collection = ? AND chunk_id = ?",
                [(new.collection, chunk.id) for chunk in new.indexed],
            )
            stage_duplicates(connection, version + 1, new.duplicates, new.keys)

    def publish(self, new: NewDocument) -> None:
        """Make the staged version the visible one, in one step; chunks that it dropped await their removal."""
        with self._db.transaction() as connection:
            version = connection.execute("SELECT version FROM documents WHERE doc_id = ?", (new.doc_id,)).fetchone()[0]
            connection.execute(
                "INSERT INTO removals SELECT collection, chunk_id FROM chunks c "
                f"WHERE doc_id = ? AND version = ? AND {INDEXED} AND chunk_id NOT IN "
                f"(SELECT chunk_id FROM chunks c WHERE doc_id = ? AND version = ? AND {INDEXED}) "
                "ON CONFLICT DO NOTHING",
                (new.doc_id, version, new.doc_id, version + 1),
            )
            both = (new.doc_id, version, version + 1)
            note_changes(self._db, connection, new.collection, CHANGED, (*both, *both))
            meta, time = new.meta, now()
            connection.execute(
                "UPDATE documents SET version = version + 1, status = 'ready', error = NULL, remedy = NULL, "
                "sha256 = ?, size = ?, recipe = ?, doc_type = ?, title = ?, language = ?, pages = ?, chunks = ?, "
                "meta = ?, ingested_at = ?, updated_at = ? WHERE doc_id = ?",
                (
                    meta.get("sha256"), meta.get("size"), meta.get("recipe"), meta.get("doc_type"), meta.get("title"),
                    _main_language(new.chunks), meta.get("page_count"), len(new.chunks),
                    json_text(new.extra), time, time, new.doc_id,
                ),
            )  # fmt: skip
            delete_superseded_files(connection, new.doc_id)
            connection.execute("UPDATE collections SET commits = commits + 1 WHERE name = ?", (new.collection,))

    def withdraw(self, collection: str, doc_ids: Sequence[str]) -> list[str]:
        """Take documents out of sight, in one step; their chunks await removal from the indexes.

        :returns: hashes of texts that may have become unused.
        """
        hashes: list[str] = []
        with self._db.transaction() as connection:
            for doc_id in doc_ids:
                gone = "SELECT DISTINCT chunk_id FROM chunks WHERE doc_id = ?"
                note_changes(self._db, connection, collection, gone, (doc_id,))
                rows = connection.execute("SELECT text_hash FROM chunks WHERE doc_id = ?", (doc_id,))
                hashes += [row[0] for row in rows]
                connection.execute(
                    "INSERT INTO removals SELECT collection, chunk_id FROM chunks WHERE doc_id = ? "
                    "ON CONFLICT DO NOTHING",
                    (doc_id,),
                )
                delete_documents(connection, "d.doc_id = ?", (doc_id,))
            connection.execute("UPDATE collections SET commits = commits + 1 WHERE name = ?", (collection,))
        return hashes

    def removals(self, collection: str, limit: int = ALL) -> list[str]:
        """Return chunk ids that still have to leave the indexes; a visible one that they should hold never does.

        :param limit: how many at most.
        """
        rows = self._db.rows(
            "SELECT r.chunk_id FROM removals r WHERE r.collection = ? AND NOT EXISTS "
            f"(SELECT 1 FROM {VISIBLE} WHERE c.chunk_id = r.chunk_id AND {INDEXED}) LIMIT ?",
            (collection, limit),
        )
        return [row[0] for row in rows]

    def forget_removals(self, collection: str, chunk_ids: Sequence[str]) -> None:
        """Drop ids from the list of removals, once both indexes have lost them."""
        with self._db.transaction() as connection:
            connection.executemany(
                "DELETE FROM removals WHERE collection = ? AND chunk_id = ?", [(collection, i) for i in chunk_ids]
            )

    def forget_superseded(self, doc_ids: Sequence[str]) -> list[str]:
        """Drop earlier versions of documents; return hashes of texts that may have become unused."""
        hashes: list[str] = []
        with self._db.transaction() as connection:
            for doc_id in doc_ids:
                dead = "c.doc_id = ? AND c.version < (SELECT d.version FROM documents d WHERE d.doc_id = ?)"
                rows = connection.execute(f"SELECT c.text_hash FROM chunks c WHERE {dead}", (doc_id, doc_id))
                hashes += [row[0] for row in rows]
                delete_chunks(connection, dead, (doc_id, doc_id))
        return hashes

    def forget_leftovers(self, collection: str) -> list[str]:
        """Drop all versions that are not visible (what killed writers left); return hashes that may be unused now."""
        with self._db.transaction() as connection:
            rows = connection.execute(
                "SELECT c.doc_id, c.version, c.text_hash FROM documents d CROSS JOIN chunks c "
                "WHERE c.doc_id = d.doc_id AND c.version <> d.version AND d.collection = ?",
                (collection,),
            ).fetchall()
            for version in {(row[0], row[1]) for row in rows}:
                left = "SELECT chunk_id FROM chunks WHERE doc_id = ? AND version = ?"
                note_changes(self._db, connection, collection, left, version)
                delete_chunks(connection, "c.doc_id = ? AND c.version = ?", version)
            delete_documents(connection, "d.collection = ? AND d.status = 'pending'", (collection,))
            if rows and self._db.shared:
                connection.execute("UPDATE collections SET commits = commits + 1 WHERE name = ?", (collection,))
        return [row[2] for row in rows]

    def unpublished(self, collection: str) -> list[tuple[str, bool]]:
        """Return ids of chunks that a writer staged and never published, and whether the indexes hold them anyway.

        Such a one belongs to a document that keeps the chunk; the indexes may hold the unpublished title with it.
        """
        duplicate = "EXISTS (SELECT 1 FROM duplicates u WHERE u.chunk_id = k.chunk_id AND u.version = k.version)"
        rows = self._db.rows(
            f"SELECT DISTINCT c.chunk_id, k.chunk_id IS NOT NULL AND NOT {duplicate} FROM documents d "
            "JOIN chunks c ON c.doc_id = d.doc_id AND c.version > d.version "
            "LEFT JOIN chunks k ON k.chunk_id = c.chunk_id AND k.version = d.version "
            f"WHERE d.collection = ? AND (k.text_hash IS NULL OR k.text_hash <> c.text_hash OR {duplicate})",
            (collection,),
        )
        return [(row[0], bool(row[1])) for row in rows]

    def has_unpublished(self, collection: str) -> bool:
        """Say whether a writer has staged anything that it never published."""
        row = self._db.row(
            "SELECT 1 FROM documents d JOIN chunks c ON c.doc_id = d.doc_id AND c.version > d.version "
            "WHERE d.collection = ? LIMIT 1",
            (collection,),
        )
        return row is not None

    def _stream(self, collection: str, clause: str) -> Iterator[Document]:
        rows = self._db.stream(
            f"SELECT {SHOWN}, c.text_hash FROM {VISIBLE} WHERE c.collection = ? AND {clause} ORDER BY c.rowid",
            (collection,),
        )
        for row in rows:
            document = as_document(row)
            document.meta["text_hash"] = row["text_hash"]
            yield document


def _matching(database: Database, collection: str, clause: str, values: Sequence[Any]) -> list[str]:
    rows = database.rows(
        f"SELECT c.chunk_id FROM {BY_DOCUMENT} AND d.collection = ? AND {clause}", (collection, *values)
    )
    return [row[0] for row in rows]


@functools.lru_cache(maxsize=8)
def _opened(database: Database, collection: str, _commits: int, clause: str, values: tuple[Any, ...]) -> list[str]:
    """Return the chunks that a caller may read: each question needs them, and they change with a commit only."""
    return _matching(database, collection, clause, list(values))


def _kept(filters: dict[str, Any]) -> tuple[str, list[Any]]:
    access, opened = access_clause()
    clause, values = compile_filters(filters)
    return f"({clause}) AND {access}", [*values, *opened]


def as_document(row: Any) -> Document:
    """Return a catalog row as the document that a retriever hands on."""
    page = row["page"]
    meta = {
        **_parsed(row["doc_meta"]),
        **_parsed(row["meta"]),
        "doc_id": row["doc_id"],
        "source": row["source"],
        "doc_type": row["doc_type"],
        "title": row["title"],
        "section": row["section"],
        "page": page,
        "pages": None if page is None else [row["page_first"], row["page_last"]],
        "start": row["start"],
        "end": row["end"],
        "ordinal": row["ordinal"],
        "language": row["language"],
    }
    return changed(BLANK, id=row["chunk_id"], content=row["content"], meta=PassageMeta(meta))


@functools.lru_cache(maxsize=4096)
def _parsed(text: str) -> dict[str, Any]:
    """Return metadata: chunks of one document have the same, and many none. What lies in it is never changed."""
    found: dict[str, Any] = json.loads(text)
    return found


def _row(chunk: Document, version: int, new: NewDocument) -> tuple[Any, ...]:
    meta = chunk.meta
    pages = meta.get("pages") or [meta.get("page"), meta.get("page")]
    own = {k: v for k, v in meta.items() if k not in COLUMNS and k not in new.extra}
    return (
        chunk.id, version, new.doc_id, new.collection, meta["ordinal"], chunk.content, meta.get("section") or "",
        meta.get("page"), pages[1], meta["start"], meta["end"], meta.get("language") or "und", meta["text_hash"],
        json_text(own), pages[0],
        new.tokens.get(chunk.id),
    )  # fmt: skip


def _main_language(chunks: Sequence[Document]) -> str | None:
    counts: dict[str, int] = {}
    for chunk in chunks:
        language = chunk.meta.get("language") or "und"
        counts[language] = counts.get(language, 0) + len(chunk.content or "")
    return max(counts, key=lambda k: counts[k]) if counts else None
