"""Embeddings by content: the same text under the same model is never embedded twice."""

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from khub.components.catalog.database import Database
from khub.components.catalog.duplicate_rows import INDEXED

LOOKUP_SIZE = 500


class Vectors:
    """Rows of the `vectors` table: (text hash, fingerprint of the embedder) -> float32 vector."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def get(self, hashes: Sequence[str], fingerprint: str) -> dict[str, np.ndarray]:
        """Return the known vectors among `hashes`, each of shape (dimension,)."""
        found: dict[str, np.ndarray] = {}
        for start in range(0, len(hashes), LOOKUP_SIZE):
            part = hashes[start : start + LOOKUP_SIZE]
            rows = self._db.rows(
                f"SELECT text_hash, vector FROM vectors WHERE fingerprint = ? AND text_hash IN ({_marks(part)})",
                (fingerprint, *part),
            )
            found.update((row[0], np.frombuffer(row[1], "<f4")) for row in rows)
        return found

    def put(self, items: Iterable[tuple[str, Sequence[float] | np.ndarray]], fingerprint: str) -> None:
        """Keep vectors; one that is known already stays."""
        rows = [(key, fingerprint, np.asarray(vector, "<f4").tobytes()) for key, vector in items]
        with self._db.transaction() as connection:
            connection.executemany("INSERT INTO vectors VALUES (?, ?, ?) ON CONFLICT DO NOTHING", rows)

    def of_collection(self, collection: str, fingerprint: str) -> Iterator[tuple[str, np.ndarray | None]]:
        """Yield (chunk id, vector) of every chunk that the indexes hold, in order; None where the vector is missing."""
        rows = self._db.stream(
            "SELECT c.chunk_id, v.vector FROM chunks c "
            "JOIN documents d ON d.doc_id = c.doc_id AND d.version = c.version "
            "LEFT JOIN vectors v ON v.text_hash = c.text_hash AND v.fingerprint = ? "
            f"WHERE c.collection = ? AND {INDEXED} ORDER BY c.rowid",
            (fingerprint, collection),
        )
        for row in rows:
            yield row[0], None if row[1] is None else np.frombuffer(row[1], "<f4")

    def of_chunks(self, collection: str, chunk_ids: Sequence[str], fingerprint: str) -> dict[str, np.ndarray]:
        """Return the vectors of visible chunks by chunk id."""
        return dict(self._visible("c.chunk_id", collection, chunk_ids, fingerprint))

    def by_language(self, collection: str, chunk_ids: Sequence[str], fingerprint: str) -> dict[str, list[np.ndarray]]:
        """Return the vectors of visible chunks, those of each language by themselves."""
        found: dict[str, list[np.ndarray]] = {}
        for language, vector in self._visible("c.language", collection, chunk_ids, fingerprint):
            found.setdefault(language, []).append(vector)
        return found

    def _visible(
        self, column: str, collection: str, chunk_ids: Sequence[str], fingerprint: str
    ) -> Iterator[tuple[str, np.ndarray]]:
        for start in range(0, len(chunk_ids), LOOKUP_SIZE):
            part = chunk_ids[start : start + LOOKUP_SIZE]
            rows = self._db.rows(
                f"SELECT {column}, v.vector FROM chunks c "
                "JOIN documents d ON d.doc_id = c.doc_id AND d.version = c.version "
                "JOIN vectors v ON v.text_hash = c.text_hash AND v.fingerprint = ? "
                f"WHERE c.collection || '' = ? AND c.chunk_id IN ({_marks(part)})",
                (fingerprint, collection, *part),
            )
            yield from ((row[0], np.frombuffer(row[1], "<f4")) for row in rows)

    def languages(self, collection: str) -> dict[str, int]:
        """Return the languages of a collection's chunks, and how many chunks each has (of all versions)."""
        rows = self._db.rows(
            "SELECT language, COUNT(*) FROM chunks WHERE collection = ? GROUP BY language", (collection,)
        )
        return {row[0]: row[1] for row in rows}

    def of_language(self, collection: str, language: str, fingerprint: str) -> dict[str, np.ndarray]:
        """Return the vectors of the chunks in one language that the indexes hold, by chunk id, in its order."""
        rows = self._db.stream(
            "SELECT c.chunk_id, v.vector FROM chunks c "
            "JOIN documents d ON d.doc_id = c.doc_id AND d.version = c.version "
            "JOIN vectors v ON v.text_hash = c.text_hash AND v.fingerprint = ? "
            f"WHERE c.collection = ? AND c.language = ? AND {INDEXED} ORDER BY c.chunk_id",
            (fingerprint, collection, language),
        )
        return {row[0]: np.frombuffer(row[1], "<f4") for row in rows}

    def sample(self, collection: str, language: str, fingerprint: str, size: int) -> list[np.ndarray]:
        """Return the vectors of some different texts in one language; the same ones while the collection is the same.

        :param size: so many at most. They are those with the lowest hashes, which say nothing of the texts.
        """
        rows = self._db.rows(
            "SELECT v.vector FROM (SELECT DISTINCT c.text_hash FROM chunks c "
            "JOIN documents d ON d.doc_id = c.doc_id AND d.version = c.version "
            f"WHERE c.collection = ? AND c.language = ? AND {INDEXED} ORDER BY c.text_hash LIMIT ?) t "
            "JOIN vectors v ON v.text_hash = t.text_hash AND v.fingerprint = ?",
            (collection, language, size, fingerprint),
        )
        return [np.frombuffer(row[0], "<f4") for row in rows]

    def dimension(self, collection: str) -> int:
        """Return the number of dimensions of a collection's vectors, 0 if it has none."""
        row = self._db.row(
            "SELECT LENGTH(v.vector) / 4 FROM chunks c JOIN vectors v ON v.text_hash = c.text_hash "
            "JOIN collections n ON n.name = c.collection "
            "AND v.fingerprint = json_extract(n.binding, '$.embedder.fingerprint') WHERE c.collection = ? LIMIT 1",
            (collection,),
        )
        return row[0] if row else 0

    def drop_other(self, collection: str, fingerprint: str) -> None:
        """Delete a collection's vectors of other embedders, where no other collection is bound to those."""
        with self._db.transaction() as connection:
            connection.execute(
                "DELETE FROM vectors WHERE fingerprint <> ? "
                "AND fingerprint NOT IN (SELECT json_extract(binding, '$.embedder.fingerprint') FROM collections "
                "WHERE binding <> '{}') "
                "AND text_hash IN (SELECT text_hash FROM chunks WHERE collection = ?)",
                (fingerprint, collection),
            )

    def drop_unreferenced(self) -> int:
        """Delete every vector whose text no chunk has (what killed processes left); return how many there were."""
        with self._db.transaction() as connection:
            return connection.execute(
                "DELETE FROM vectors WHERE NOT EXISTS (SELECT 1 FROM chunks WHERE chunks.text_hash = vectors.text_hash)"
            ).rowcount

    def drop_unused(self, hashes: Sequence[str]) -> None:
        """Delete the vectors among `hashes` that no chunk needs any more: what is deleted leaves no trace."""
        with self._db.transaction() as connection:
            for start in range(0, len(hashes), LOOKUP_SIZE):
                part = hashes[start : start + LOOKUP_SIZE]
                connection.execute(
                    f"DELETE FROM vectors WHERE text_hash IN ({_marks(part)}) "
                    "AND NOT EXISTS (SELECT 1 FROM chunks WHERE chunks.text_hash = vectors.text_hash)",
                    part,
                )


def _marks(values: Sequence[str]) -> str:
    return ",".join("?" * len(values))
