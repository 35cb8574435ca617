"""Passages that several documents have: which chunk the indexes hold for them, and which takes its place."""

import functools
import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from haystack import Document

from khub.components.catalog.access import ACCESS_FIELD, levels_key
from khub.components.catalog.changes import note_changes
from khub.components.catalog.chunks import LOOKUP_SIZE, SHOWN, as_document
from khub.components.catalog.database import Database
from khub.components.catalog.duplicate_rows import INDEXED, key_number
from khub.components.catalog.filters import access_clause
from khub.components.catalog.passage_place import PassagePlace
from khub.components.catalog.visible_chunks import VISIBLE

DUPLICATES = (
    "duplicates u CROSS JOIN chunks c CROSS JOIN documents d WHERE c.chunk_id = u.chunk_id AND c.version = u.version "
    "AND d.doc_id = c.doc_id AND d.version = c.version"
)
"""Those of visible documents, with a WHERE that goes on."""


@dataclass(frozen=True)
class Twin:
    """A chunk that says what another one says.

    :param access: what `$KHUB_ACCESS` compares, as from `levels_key`.
    """

    chunk_id: str
    doc_id: str
    access: str


class Duplicates:
    """Rows of the `duplicates` table, and the keys by which chunks find each other.

    A visible chunk is either held by both indexes, with a vector, or a duplicate of one that is.
    """

    def __init__(self, database: Database) -> None:
        self._db = database

    def of_collection(self, collection: str) -> dict[str, str]:
        """Return duplicate -> chunk that the indexes hold, of all visible ones, in the order in which they came in."""
        row = self._db.row("SELECT commits FROM collections WHERE name = ?", (collection,))
        return _of_collection(self._db, collection, row[0] if row else 0)

    def of_document(self, doc_id: str) -> dict[str, list[Twin]]:
        """Return which duplicates depend on the visible chunks of a document: chunk id -> those, oldest first."""
        rows = self._db.rows(
            "SELECT u.stored, c.chunk_id, c.doc_id, c.meta, d.meta AS doc_meta FROM documents e CROSS JOIN chunks s "
            f"CROSS JOIN {DUPLICATES} AND s.doc_id = e.doc_id AND s.version = e.version "
            "AND e.doc_id = ? AND u.stored = s.chunk_id ORDER BY c.rowid",
            (doc_id,),
        )
        found: dict[str, list[Twin]] = {}
        for row in rows:
            found.setdefault(row["stored"], []).append(_twin(row))
        return found

    def held(self, chunk_ids: Sequence[str]) -> dict[str, Twin]:
        """Return those of the chunks that are visible and that the indexes hold themselves."""
        return {row["chunk_id"]: _twin(row) for row in self._rows(chunk_ids, f" AND {INDEXED}")}

    def read(self, chunk_ids: Sequence[str]) -> dict[str, Document]:
        """Return the visible chunks among these, whatever `$KHUB_ACCESS` opens: for what writes, not for what shows."""
        return {row["chunk_id"]: as_document(row) for row in self._rows(chunk_ids)}

    def places(self, chunk_ids: Sequence[str]) -> dict[str, PassagePlace]:
        """Return where the visible chunks are that `$KHUB_ACCESS` opens: `{doc_id, source, title, page}` by id.

        :raises FilterError: if `$KHUB_ACCESS` is set and names no level.
        """
        access, opened = access_clause()
        found: dict[str, PassagePlace] = {}
        for part in _parts(chunk_ids):
            rows = self._db.rows(
                f"SELECT c.chunk_id, c.doc_id, d.source, d.title, c.page FROM {VISIBLE} "
                f"WHERE c.chunk_id IN ({_marks(part)}) AND {access}",
                (*part, *opened),
            )
            found.update({row["chunk_id"]: {key: row[key] for key in row.keys()[1:]} for row in rows})
        return found

    def find(self, collection: str, keys: Sequence[str], limit: int) -> dict[str, list[Document]]:
        """Return which chunks the indexes hold that were stored with some of these keys.

        :param limit: so many chunks for one key at most.
        :returns: key -> chunks; keys without a chunk are left out.
        """
        numbers: dict[int, list[str]] = {}
        for key in keys:
            numbers.setdefault(key_number(key), []).append(key)
        ids: dict[str, list[str]] = {}
        for part in _parts(list(numbers)):
            rows = self._db.rows(
                "SELECT k.key, c.chunk_id FROM chunk_keys k CROSS JOIN keyed_chunks n CROSS JOIN chunks c "
                "CROSS JOIN documents d WHERE n.id = k.id AND c.chunk_id = n.chunk_id AND c.collection = ? "
                f"AND d.doc_id = c.doc_id AND d.version = c.version AND {INDEXED} AND k.key IN ({_marks(part)}) "
                "ORDER BY c.rowid",
                (collection, *part),
            )
            for row in rows:
                for key in numbers[row["key"]]:
                    of_key = ids.setdefault(key, [])
                    if len(of_key) < limit:
                        of_key.append(row["chunk_id"])
        chunks = self.read(list(dict.fromkeys(chunk_id for of_key in ids.values() for chunk_id in of_key)))
        return {key: [chunks[chunk_id] for chunk_id in of_key if chunk_id in chunks] for key, of_key in ids.items()}

    def promote(self, collection: str, heirs: Mapping[str, str]) -> None:
        """Make duplicates stored chunks, with the vectors of those that the indexes held for them, in one step.

        The vector lies under a key of its own: that of the other's text would be taken for the heir's by an embedder.

        :param heirs: stored chunk -> its duplicate that both indexes hold by now, and that stands for the others.
        """
        with self._db.transaction() as connection:
            for stored, heir in heirs.items():
                hashes = [
                    connection.execute(
                        f"SELECT c.text_hash, c.rowid, c.version FROM {VISIBLE} WHERE c.chunk_id = ?", (chunk_id,)
                    ).fetchone()
                    for chunk_id in (stored, heir)
                ]
                (text_hash, _, _), (own_hash, rowid, version) = hashes
                both = "SELECT CAST(? AS TEXT) AS chunk_id UNION ALL SELECT CAST(? AS TEXT)"
                note_changes(self._db, connection, collection, both, (stored, heir))
                if own_hash != text_hash:
                    key = hashlib.sha256(f"{own_hash}\0{text_hash}".encode()).hexdigest()[:32]
                    connection.execute(
                        "INSERT INTO vectors SELECT ?, fingerprint, vector FROM vectors WHERE text_hash = ? "
                        "ON CONFLICT DO NOTHING",
                        (key, text_hash),
                    )
                    connection.execute("UPDATE chunks SET text_hash = ? WHERE rowid = ?", (key, rowid))
                connection.execute("DELETE FROM duplicates WHERE chunk_id = ? AND version = ?", (heir, version))
                connection.execute("UPDATE duplicates SET stored = ? WHERE stored = ?", (heir, stored))
                connection.execute("INSERT INTO keyed_chunks (chunk_id) VALUES (?) ON CONFLICT DO NOTHING", (heir,))
                connection.execute(
                    "INSERT INTO chunk_keys SELECT k.key, n.id FROM keyed_chunks s "
                    "JOIN chunk_keys k ON k.id = s.id JOIN keyed_chunks n ON n.chunk_id = ? WHERE s.chunk_id = ? "
                    "ON CONFLICT DO NOTHING",
                    (heir, stored),
                )
            connection.execute("UPDATE collections SET commits = commits + 1 WHERE name = ?", (collection,))

    def orphans(self, collection: str) -> list[str]:
        """Return visible duplicates of chunks that the indexes do not hold: no index finds what they say."""
        rows = self._db.rows(
            f"SELECT u.chunk_id FROM {DUPLICATES} AND c.collection = ? AND NOT EXISTS (SELECT 1 FROM chunks t "
            "JOIN documents e ON e.doc_id = t.doc_id AND e.version = t.version WHERE t.chunk_id = u.stored "
            "AND t.collection = c.collection AND NOT EXISTS "
            "(SELECT 1 FROM duplicates w WHERE w.chunk_id = t.chunk_id AND w.version = t.version))",
            (collection,),
        )
        return [row[0] for row in rows]

    def release_orphans(self, collection: str) -> None:
        """Make orphans chunks of their own, for whoever is about to embed the collection anew."""
        orphans = self.orphans(collection)
        with self._db.transaction() as connection:
            connection.executemany("DELETE FROM duplicates WHERE chunk_id = ?", [(one,) for one in orphans])

    def _rows(self, chunk_ids: Sequence[str], clause: str = "") -> list[Any]:
        found: list[Any] = []
        for part in _parts(chunk_ids):
            found += self._db.rows(
                f"SELECT {SHOWN} FROM {VISIBLE} WHERE c.chunk_id IN ({_marks(part)}){clause}",
                part,
            )
        return found


@functools.lru_cache(maxsize=8)
def _of_collection(database: Database, collection: str, _commits: int) -> dict[str, str]:
    """Return the duplicates of a collection: every question needs them, and they change with a commit only."""
    rows = database.rows(
        f"SELECT u.chunk_id, u.stored FROM {DUPLICATES} AND c.collection = ? ORDER BY c.rowid", (collection,)
    )
    return {row[0]: row[1] for row in rows}


def _twin(row: Any) -> Twin:
    meta = {**json.loads(row["doc_meta"]), **json.loads(row["meta"])}
    return Twin(row["chunk_id"], row["doc_id"], levels_key(meta.get(ACCESS_FIELD)))


def _parts(values: Sequence[Any]) -> list[Sequence[Any]]:
    return [values[start : start + LOOKUP_SIZE] for start in range(0, len(values), LOOKUP_SIZE)]


def _marks(values: Sequence[Any]) -> str:
    return ",".join("?" * len(values))
