"""What each commit changed, where the indexes of several machines follow one catalog."""

from collections.abc import Sequence
from typing import Any

from khub.components.catalog.database import Database
from khub.components.catalog.transaction import Transaction

KEPT = 200_000
"""Changes of a collection; an index that is further behind is built anew."""


class Changes:
    """Rows of the `changes` table: ids of chunks that an index has to look up again after a commit.

    :param database: the catalog's; where it is one machine's alone, whoever commits writes the indexes, and nothing is
        told here.
    """

    def __init__(self, database: Database) -> None:
        self._db = database

    def since(self, collection: str, commits: int, until: int) -> list[str] | None:
        """Return the chunks that commits changed; None where that is no longer known of all of them.

        :param commits: the last one that the asking index holds.
        :param until: the last one that it wants.
        """
        row = self._db.row("SELECT changes_from FROM collections WHERE name = ?", (collection,))
        if row is None or commits < row[0]:
            return None
        rows = self._db.rows(
            "SELECT DISTINCT chunk_id FROM changes WHERE collection = ? AND number > ? AND number <= ?",
            (collection, commits, until),
        )
        return [row[0] for row in rows]

    def prune(self, collection: str) -> None:
        """Forget the oldest ones beyond `KEPT`."""
        row = self._db.row(
            "SELECT number FROM changes WHERE collection = ? ORDER BY number DESC LIMIT 1 OFFSET ?", (collection, KEPT)
        )
        if row is not None:
            with self._db.transaction() as connection:
                connection.execute("DELETE FROM changes WHERE collection = ? AND number <= ?", (collection, row[0]))
                connection.execute("UPDATE collections SET changes_from = ? WHERE name = ?", (row[0], collection))


def note_changes(
    database: Database, connection: Transaction, collection: str, chunks: str, values: Sequence[Any]
) -> None:
    """Tell which chunks the next commit changes, in the transaction that makes it; too many do no harm.

    :param chunks: a SELECT of their ids.
    """
    if database.shared:
        connection.execute(
            "INSERT INTO changes SELECT k.name, k.commits + 1, x.chunk_id FROM collections k "
            f"CROSS JOIN ({chunks}) x WHERE k.name = ? ON CONFLICT DO NOTHING",
            (*values, collection),
        )
