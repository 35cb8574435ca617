"""Documents: one row a file, with what became of it."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar, cast

from khub.components.catalog.access import ACCESS_FIELD, access_levels
from khub.components.catalog.chunk_row import ChunkRow
from khub.components.catalog.database import Database, json_text, now
from khub.components.catalog.document_name import DocumentName
from khub.components.catalog.document_row import DocumentRow
from khub.components.catalog.filters import access_clause
from khub.components.catalog.partly_opened import closed_among
from khub.components.catalog.parts import UNOPENED, parts_clause, parts_of
from khub.components.errors import CollectionError
from khub.components.text.time_marks import first_mark

Named = TypeVar("Named", bound=DocumentName)
LOOKUP_SIZE = 500
LEAST_OF_ID = 6
"""So many characters of an id name a document."""
DEGRADED_STAGES = "degraded_stages"
"""Metadata of a document: names of the stages for which something simpler stands in, in some of its chunks."""
LISTED = (
    "doc_id, collection, source, status, doc_type, title, language, pages, chunks, size, sha256, "
    "meta, error, remedy, ingested_at, updated_at"
)


def doc_id_of(collection: str, source: str) -> str:
    """Return the id of a document: 32 hexadecimal characters of sha256(collection, source)."""
    return hashlib.sha256(f"{collection}\0{source}".encode()).hexdigest()[:32]


def meant_by(rows: Sequence[Named], collection: str, *names: str) -> Named:
    """Return the document that a person means: by id, start of an id, source or file name.

    :param rows: the documents among which it is, with `doc_id` and `source`.
    :param names: what the person has typed, then the same as a path from the root on.
    :raises CollectionError: if there is none, or more than one.
    """
    name = names[0]
    exact = [r for r in rows if r["doc_id"] == name or r["source"] in names]
    loose = [
        r
        for r in rows
        if (len(name) >= LEAST_OF_ID and r["doc_id"].startswith(name))
        or r["source"].replace("\\", "/").endswith(f"/{name}")
    ]
    return only_meant(exact or loose, collection, name)


def only_meant(matches: Sequence[Named], collection: str, name: str) -> Named:
    """Return the only document that a name can mean.

    :param matches: the documents that it fits.
    :raises CollectionError: if there is none, or more than one.
    """
    if len(matches) == 1:
        return matches[0]
    if not matches:
        raise CollectionError(
            f"there is no document {name!r} in collection {collection!r}",
            f"see them with: khub list --collection {collection}",
            code="document_unknown",
        )
    raise CollectionError(
        f"{name!r} could be any of {len(matches)} documents in collection {collection!r}",
        f"name one by its id: {', '.join(m['doc_id'][:12] for m in matches[:5])}",
        code="document_ambiguous",
    )


class Documents:
    """Rows of the `documents` table."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def known(self, doc_ids: Sequence[str]) -> dict[str, tuple[str, str | None, str | None]]:
        """Return (status, sha256, recipe) of the known documents among `doc_ids`, but for those to be taken up again.

        These are the ones that failed the last time, those with degraded stages, mails of which it is so of a part, and
        mails that were read when attached files were not.
        """
        found: dict[str, tuple[str, str | None, str | None]] = {}
        for start in range(0, len(doc_ids), LOOKUP_SIZE):
            part = doc_ids[start : start + LOOKUP_SIZE]
            marks = ",".join("?" * len(part))
            rows = self._db.rows(
                f"SELECT doc_id, status, sha256, recipe FROM documents d WHERE doc_id IN ({marks}) AND error IS NULL "
                "AND json_extract(meta, ?) IS NULL AND NOT EXISTS (SELECT 1 FROM documents p WHERE "
                f"{parts_clause('d', 'p')} AND (p.error IS NOT NULL OR json_extract(p.meta, ?) IS NOT NULL))"
                f" AND NOT {UNOPENED}",
                (*part, *[f"$.{DEGRADED_STAGES}"] * 2),
            )
            found.update((row[0], (row[1], row[2], row[3])) for row in rows)
        return found

    def parts_of(self, doc_ids: Sequence[str]) -> list[DocumentName]:
        """Return `doc_id` and `source` of what is attached to mails, those of mails in mails too, by source."""
        return parts_of(self._db, doc_ids)

    def said(self, doc_ids: Sequence[str]) -> dict[str, tuple[str | None, dict[str, Any]]]:
        """Return (sha256, metadata) of the known documents among `doc_ids`."""
        rows = self._db.rows(
            "SELECT doc_id, sha256, meta FROM documents WHERE doc_id IN (SELECT value FROM json_each(?))",
            (json.dumps(list(doc_ids)),),
        )
        return {row["doc_id"]: (row["sha256"], json.loads(row["meta"])) for row in rows}

    def said_of_content(self, collection: str, hashes: Sequence[str]) -> list[tuple[str, str, dict[str, Any]]]:
        """Return (sha256, source, metadata) of the documents of a collection whose files held one of these contents."""
        rows = self._db.rows(
            "SELECT sha256, source, meta FROM documents WHERE collection = ? "
            "AND sha256 IN (SELECT value FROM json_each(?))",
            (collection, json.dumps(list(hashes))),
        )
        return [(row["sha256"], row["source"], json.loads(row["meta"])) for row in rows]

    def having(self, doc_ids: Sequence[str], meta: Mapping[str, Any]) -> set[str]:
        """Return those of `doc_ids` of which all this metadata is said."""
        found: set[str] = set()
        for start in range(0, len(doc_ids), LOOKUP_SIZE):
            part = doc_ids[start : start + LOOKUP_SIZE]
            marks = ",".join("?" * len(part))
            for doc_id, said in self._db.rows(f"SELECT doc_id, meta FROM documents WHERE doc_id IN ({marks})", part):
                if meta.items() <= json.loads(said).items():
                    found.add(doc_id)
        return found

    def of_collection(self, collection: str, status: str | None = None) -> list[DocumentRow]:
        """Return the documents of a collection as dicts, by source."""
        clause = " AND status = ?" if status else ""
        rows = self._db.rows(
            f"SELECT {LISTED} FROM documents WHERE collection = ?{clause} ORDER BY source",
            (collection, status) if status else (collection,),
        )
        return [_as_dict(row) for row in rows]

    def sources(self, collection: str) -> list[str]:
        """Return the sources of a collection's documents, also of those that failed."""
        rows = self._db.rows("SELECT source FROM documents WHERE collection = ? ORDER BY source", (collection,))
        return [row["source"] for row in rows]

    def readable(self, collection: str) -> list[DocumentRow]:
        """Return the documents of which a question may find something: visible, and opened by `$KHUB_ACCESS`.

        :returns: dicts as from `of_collection`, by source.
        :raises FilterError: if `$KHUB_ACCESS` is set and names no level.
        """
        access, opened = access_clause()
        rows = self._db.rows(
            f"SELECT {LISTED} FROM documents d WHERE collection = ? AND EXISTS (SELECT 1 FROM chunks c "
            f"WHERE c.doc_id = d.doc_id AND c.version = d.version AND {access}) ORDER BY source",
            (collection, *opened),
        )
        return [_as_dict(row) for row in rows]

    def names(self, collection: str) -> list[tuple[str, str | None, str]]:
        """Return source, title and type of each document of which a question may find something.

        :raises FilterError: if `$KHUB_ACCESS` is set and names no level.
        """
        if access_levels() is not None:
            return [(one["source"], one["title"], cast(str, one["doc_type"])) for one in self.readable(collection)]
        # without the look into the chunks of each: this is read anew after every batch of an ingest
        columns = "SELECT source, title, doc_type FROM documents WHERE collection = ? AND version > 0 AND chunks > 0"
        return [(row["source"], row["title"], row["doc_type"]) for row in self._db.rows(columns, (collection,))]

    def find(self, collection: str, name: str) -> DocumentRow:
        """Return the document that a person means: by id, start of an id (6 characters), source or file name.

        :raises CollectionError: if there is none, or more than one.
        """
        return meant_by(self.of_collection(collection), collection, name, str(Path(name).absolute()))

    def record_failure(self, collection: str, source: str, error: str, remedy: str) -> None:
        """Write down that a file could not be ingested; an earlier version of it stays visible.

        In a collection that does not exist nothing is written down, nor of a document that is closed to the caller.
        """
        if closed_among(self._db, [doc_id_of(collection, source)]):
            return
        with self._db.transaction() as connection:
            connection.execute(
                "INSERT INTO documents (doc_id, collection, source, status, error, remedy, updated_at) "
                "SELECT ?, name, ?, 'failed', ?, ?, ? FROM collections WHERE name = ? "
                "ON CONFLICT (doc_id) DO UPDATE SET "
                "error = excluded.error, remedy = excluded.remedy, updated_at = excluded.updated_at, "
                "status = CASE WHEN documents.version > 0 THEN 'ready' ELSE 'failed' END",
                (doc_id_of(collection, source), source, error, remedy, now(), collection),
            )

    def give_failed_level(self, collection: str, sources: Sequence[str], level: Any) -> None:
        """Give files of which nothing was ever read a level: no chunk says who may know of them.

        :param level: as `access_level` has it.
        """
        with self._db.transaction() as connection:
            for doc_id in (doc_id_of(collection, source) for source in sources):
                failed = "doc_id = ? AND version = 0 AND status = 'failed'"
                row = connection.execute(f"SELECT meta FROM documents WHERE {failed}", (doc_id,)).fetchone()
                if row is not None:
                    meta = {**json.loads(row["meta"]), ACCESS_FIELD: level}
                    connection.execute("UPDATE documents SET meta = ? WHERE doc_id = ?", (json_text(meta), doc_id))

    def forget_recipes(self, doc_ids: Sequence[str]) -> None:
        """Let documents count as made by other stages than today's, so that the next ingest reads their files again."""
        with self._db.transaction() as connection:
            connection.execute(
                "UPDATE documents SET recipe = NULL WHERE doc_id IN (SELECT value FROM json_each(?))",
                (json.dumps(list(doc_ids)),),
            )

    def change_meta(self, doc_id: str, changes: dict[str, Any]) -> None:
        """Change metadata of a document and of all its chunks, in one step; what was embedded stays.

        :param changes: key -> value; None takes the key away. Keys as `filters.is_key` allows them.
        """
        with self._db.transaction() as connection:
            row = connection.execute("SELECT collection, meta FROM documents WHERE doc_id = ?", (doc_id,)).fetchone()
            if row is None:
                return
            changed = {**json.loads(row["meta"]), **changes}
            meta = json_text({key: value for key, value in changed.items() if value is not None})
            time = now()
            connection.execute("UPDATE documents SET meta = ?, updated_at = ? WHERE doc_id = ?", (meta, time, doc_id))
            own = connection.execute(
                "SELECT c.chunk_id, c.version, c.meta FROM documents d CROSS JOIN chunks c "
                "WHERE c.doc_id = d.doc_id AND c.version = d.version AND d.doc_id = ? AND c.meta <> '{}'",
                (doc_id,),
            ).fetchall()
            for chunk in own:  # what a chunk has of its own would stand over it
                of_chunk = json.loads(chunk["meta"])
                kept = {key: value for key, value in of_chunk.items() if key not in changes}
                if len(kept) < len(of_chunk):
                    connection.execute(
                        "UPDATE chunks SET meta = ? WHERE chunk_id = ? AND version = ?",
                        (json_text(kept), chunk["chunk_id"], chunk["version"]),
                    )
            connection.execute(
                "UPDATE collections SET commits = commits + 1, updated_at = ? WHERE name = ?",
                (now(), row["collection"]),
            )

    def keep_state(self, doc_id: str, before: DocumentRow) -> None:
        """Give a document that was written anew from what is stored its failure and its time of ingest back.

        :param before: its row.
        """
        with self._db.transaction() as connection:
            connection.execute(
                "UPDATE documents SET ingested_at = ?, error = ?, remedy = ? WHERE doc_id = ?",
                (before["ingested_at"], before["error"], before["remedy"], doc_id),
            )

    def chunks(self, doc_id: str) -> list[ChunkRow]:
        """Return the visible chunks of a document in order."""
        rows = self._db.rows(
            "SELECT c.chunk_id, c.ordinal, c.section, c.page, c.page_first, c.page_last, "
            'c.start, c."end", c.language, c.content, c.meta '
            "FROM chunks c JOIN documents d ON d.doc_id = c.doc_id AND d.version = c.version "
            "WHERE c.doc_id = ? ORDER BY c.ordinal",
            (doc_id,),
        )
        return [_as_chunk_row(row) for row in rows]


def _as_chunk_row(row: Any) -> ChunkRow:
    fields = dict(row)
    return cast(ChunkRow, {**fields, "time_mark": first_mark(json.loads(fields.pop("meta")).get("time_marks"))})


def _as_dict(row: Any) -> DocumentRow:
    return cast(DocumentRow, {**dict(row), "meta": json.loads(row["meta"])})
