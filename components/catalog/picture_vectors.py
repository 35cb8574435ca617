"""Embeddings of pictures by content: the same file under the same model is never embedded twice."""

from collections.abc import Mapping, Sequence

import numpy as np

from khub.components.catalog.database import Database
from khub.components.catalog.picture_prints import OF_COLLECTION

LOOKUP_SIZE = 500


class PictureVectors:
    """Rows of the `picture_vectors` table: (sha256 of a picture's file, fingerprint of the embedder) -> vector."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def known(self, digests: Sequence[str], fingerprint: str) -> set[str]:
        """Return those of `digests` that have a vector."""
        found: set[str] = set()
        for start in range(0, len(digests), LOOKUP_SIZE):
            part = digests[start : start + LOOKUP_SIZE]
            marks = ",".join("?" * len(part))
            sql = f"SELECT sha256 FROM picture_vectors WHERE fingerprint = ? AND sha256 IN ({marks})"
            found.update(row[0] for row in self._db.rows(sql, (fingerprint, *part)))
        return found

    def put(self, vectors: Mapping[str, np.ndarray], fingerprint: str) -> None:
        """Keep vectors; one that is known already stays."""
        rows = [(digest, fingerprint, np.asarray(vector, "<f4").tobytes()) for digest, vector in vectors.items()]
        with self._db.transaction() as connection:
            connection.executemany("INSERT INTO picture_vectors VALUES (?, ?, ?) ON CONFLICT DO NOTHING", rows)

    def of_collection(self, collection: str, fingerprint: str, limit: int) -> dict[str, np.ndarray]:
        """Return the vectors of a collection's visible pictures by digest; `limit` of them at most."""
        rows = self._db.stream(
            f"SELECT v.sha256, v.vector FROM {OF_COLLECTION} "
            "JOIN picture_vectors v ON v.sha256 = s.sha256 AND v.fingerprint = ? LIMIT ?",
            (collection, fingerprint, limit),
        )
        return {row[0]: np.frombuffer(row[1], "<f4") for row in rows}

    def missing(self, collection: str, fingerprint: str) -> list[tuple[str, str]]:
        """Return digest and type of each file of a collection's visible pictures that has no vector."""
        rows = self._db.rows(
            f"SELECT s.sha256, s.mime FROM {OF_COLLECTION} "
            "LEFT JOIN picture_vectors v ON v.sha256 = s.sha256 AND v.fingerprint = ? WHERE v.sha256 IS NULL",
            (collection, fingerprint),
        )
        return [(row[0], row[1]) for row in rows]

    def drop_other(self, collection: str, fingerprint: str | None) -> None:
        """Delete a collection's vectors of other embedders, where no other collection is bound to those."""
        with self._db.transaction() as connection:
            connection.execute(
                "DELETE FROM picture_vectors WHERE COALESCE(fingerprint <> ?, TRUE) AND fingerprint NOT IN "
                "(SELECT json_extract(binding, '$.pictures.fingerprint') FROM collections "
                "WHERE json_extract(binding, '$.pictures.fingerprint') IS NOT NULL) "
                f"AND sha256 IN (SELECT s.sha256 FROM {OF_COLLECTION})",
                (fingerprint, collection),
            )

    def drop_unreferenced(self) -> None:
        """Delete every vector of a file that no document has (what killed processes left)."""
        with self._db.transaction() as connection:
            connection.execute("DELETE FROM picture_vectors WHERE sha256 NOT IN (SELECT sha256 FROM images)")
