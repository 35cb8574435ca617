"""What came of each source the last time, and when it is its turn again."""

import json
from dataclasses import dataclass
from typing import Any

from khub.components.catalog.database import Database

WAITS_FOR = "waits_for"
"""Field of a record: (variable, host) of each secret that the source was refused for."""


@dataclass(frozen=True)
class SourceState:
    """A source of a collection.

    :param key: names both.
    :param address: without credentials.
    :param next_at: from when on a service syncs it again, ISO 8601 in UTC; None where nobody has said so.
    :param record: what came of the last time.
    """

    key: str
    collection: str
    address: str
    next_at: str | None
    record: dict[str, Any]


class SourceStates:
    """Rows of the table `sources`.

    :param database: the catalog's.
    """

    def __init__(self, database: Database) -> None:
        self._db = database

    def get(self, key: str) -> SourceState | None:
        """Return a source, by its key; None if it was never read."""
        row = self._db.row("SELECT key, collection, address, next_at, record FROM sources WHERE key = ?", (key,))
        return None if row is None else _state(row)

    def all(self, collection: str | None = None) -> list[SourceState]:
        """Return the sources that were read, those of a collection or all."""
        rows = self._db.rows(
            "SELECT key, collection, address, next_at, record FROM sources ORDER BY collection, address"
        )
        return [state for state in map(_state, rows) if collection in (None, state.collection)]

    def add(self, key: str, collection: str, address: str) -> None:
        """Let a source be known; one that is stays as it is."""
        with self._db.transaction() as connection:
            if connection.execute("SELECT 1 FROM sources WHERE key = ?", (key,)).fetchone() is None:
                connection.execute(
                    "INSERT INTO sources (key, collection, address, next_at, record) VALUES (?, ?, ?, NULL, '{}')",
                    (key, collection, address),
                )

    def note(self, key: str, **fields: Any) -> None:
        """Add fields to what is known of a source."""
        with self._db.transaction() as connection:
            row = connection.execute("SELECT record FROM sources WHERE key = ?", (key,)).fetchone()
            if row is not None:
                record = json.dumps({**json.loads(row["record"]), **fields}, ensure_ascii=False)
                connection.execute("UPDATE sources SET record = ? WHERE key = ?", (record, key))

    def take_turn(self, key: str, now: str, next_at: str, latest: str) -> bool:
        """Take the turn of a source whose time has come; of all who try, one has it.

        :param now: ISO 8601 in UTC, as the others.
        :param next_at: the turn after this one.
        :param latest: a turn after this was given when the source was to be synced less often: it has come, too.
        """
        with self._db.transaction() as connection:
            row = connection.execute("SELECT next_at FROM sources WHERE key = ?", (key,)).fetchone()
            if row is None or (row["next_at"] is not None and now < row["next_at"] <= latest):
                return False
            connection.execute("UPDATE sources SET next_at = ? WHERE key = ?", (next_at, key))
            return True

    def make_due(self, key: str) -> None:
        """Let a source that waits for something have its turn now; of all who see that it has come, one does."""
        with self._db.transaction() as connection:
            row = connection.execute("SELECT record FROM sources WHERE key = ?", (key,)).fetchone()
            record = json.loads(row["record"]) if row is not None else {}
            if record.pop(WAITS_FOR, None):
                values = (json.dumps(record, ensure_ascii=False), key)
                connection.execute("UPDATE sources SET next_at = NULL, record = ? WHERE key = ?", values)

    def forget(self, key: str) -> None:
        """Forget a source and what was read of it."""
        with self._db.transaction() as connection:
            connection.execute("DELETE FROM source_items WHERE key = ?", (key,))
            connection.execute("DELETE FROM sources WHERE key = ?", (key,))


def _state(row: Any) -> SourceState:
    return SourceState(row["key"], row["collection"], row["address"], row["next_at"], json.loads(row["record"]))
