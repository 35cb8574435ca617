"""What pictures are recognised by, for each file."""

from collections.abc import Mapping, Sequence

from khub.components.catalog.database import Database

LOOKUP_SIZE = 500
OF_COLLECTION = (
    "(SELECT DISTINCT i.sha256, i.mime FROM images i JOIN documents d ON d.doc_id = i.doc_id AND d.version = i.version "
    "WHERE d.collection = ?) s"
)
"""The files of a collection's visible pictures."""


class PicturePrints:
    """Rows of the `picture_prints` table: sha256 of a picture's file -> its print, b"" where it cannot be read."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def get(self, digests: Sequence[str]) -> dict[str, bytes]:
        """Return the known prints among `digests`."""
        found: dict[str, bytes] = {}
        for start in range(0, len(digests), LOOKUP_SIZE):
            part = digests[start : start + LOOKUP_SIZE]
            marks = ",".join("?" * len(part))
            rows = self._db.rows(f"SELECT sha256, print FROM picture_prints WHERE sha256 IN ({marks})", part)
            found.update((row[0], row[1]) for row in rows)
        return found

    def put(self, prints: Mapping[str, bytes]) -> None:
        """Keep prints; one that is known already stays."""
        if prints:
            with self._db.transaction() as connection:
                connection.executemany(
                    "INSERT INTO picture_prints VALUES (?, ?) ON CONFLICT DO NOTHING", prints.items()
                )

    def of_collection(self, collection: str, limit: int) -> dict[str, bytes]:
        """Return the prints of a collection's visible pictures, but for those that cannot be read.

        :param limit: so many at most.
        """
        rows = self._db.stream(
            f"SELECT p.sha256, p.print FROM {OF_COLLECTION} JOIN picture_prints p ON p.sha256 = s.sha256 "
            "WHERE length(p.print) > 0 LIMIT ?",
            (collection, limit),
        )
        return {row[0]: row[1] for row in rows}

    def missing(self, collection: str, limit: int) -> tuple[int, list[tuple[str, str]]]:
        """Return how many files of a collection's visible pictures have no print, and digest and type of some."""
        none = f"{OF_COLLECTION} LEFT JOIN picture_prints p ON p.sha256 = s.sha256 WHERE p.sha256 IS NULL"
        count = self._db.row(f"SELECT COUNT(*) FROM {none}", (collection,))
        rows = self._db.rows(f"SELECT s.sha256, s.mime FROM {none} LIMIT ?", (collection, limit))
        return count[0] if count else 0, [(row[0], row[1]) for row in rows]
