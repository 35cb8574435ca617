"""Dense indexes in stores that no collection reads: one that is being built, and those that were left."""

import json
from typing import Any, NamedTuple

from khub.components.catalog.database import Database
from khub.components.catalog.transaction import Transaction
from khub.components.own_names import with_current_names


class LeftIndex(NamedTuple):
    """An index that is to be deleted, unless its collection comes to read it.

    :param physical: its name.
    :param slug: the collection's, which may be gone.
    :param store: the template of the store in which it lies, as data.
    """

    physical: str
    slug: str
    store: dict[str, Any]


class LeftIndexes:
    """Rows of the `left_indexes` table: who holds the writer's lock of a slug may delete the indexes of its rows."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def add(self, index: LeftIndex) -> None:
        """Note an index before it is begun."""
        with self._db.transaction() as connection:
            note_left(connection, index)

    def all(self, slug: str | None = None) -> list[LeftIndex]:
        """Return those of one slug, or all."""
        clause, values = ("TRUE", ()) if slug is None else ("slug = ?", (slug,))
        rows = self._db.rows(f"SELECT physical, slug, store FROM left_indexes WHERE {clause} ORDER BY physical", values)
        return [LeftIndex(row["physical"], row["slug"], with_current_names(json.loads(row["store"]))) for row in rows]

    def forget(self, physical: str) -> None:
        """Strike out an index that is deleted."""
        with self._db.transaction() as connection:
            connection.execute("DELETE FROM left_indexes WHERE physical = ?", (physical,))


def note_left(connection: Transaction, index: LeftIndex) -> None:
    """Note an index, in the transaction by which its collection leaves it."""
    connection.execute(
        "INSERT INTO left_indexes VALUES (?, ?, ?) "
        "ON CONFLICT (physical) DO UPDATE SET slug = excluded.slug, store = excluded.store",
        (index.physical, index.slug, json.dumps(index.store, ensure_ascii=False)),
    )
