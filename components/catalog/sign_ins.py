"""Who has signed in to the pages, on every machine that has the catalog."""

from khub.components.catalog.database import Database


class SignIns:
    """Rows of the `sign_ins` table.

    :param database: the catalog's.
    """

    def __init__(self, database: Database) -> None:
        self._db = database

    def get(self, id_: str, now: int) -> str | None:
        """Return what is known of one whose time is not over; None if there is none."""
        row = self._db.row("SELECT record FROM sign_ins WHERE id = ? AND ends > ?", (id_, now))
        return None if row is None else str(row["record"])

    def add(self, id_: str, ends: int, record: str, now: int) -> None:
        """Keep one, and forget those whose time is over."""
        with self._db.transaction() as connection:
            connection.execute("DELETE FROM sign_ins WHERE ends <= ?", (now,))
            connection.execute("INSERT INTO sign_ins (id, ends, record) VALUES (?, ?, ?)", (id_, ends, record))

    def remove(self, id_: str) -> None:
        """Forget one, if it is known."""
        with self._db.transaction() as connection:
            connection.execute("DELETE FROM sign_ins WHERE id = ?", (id_,))
