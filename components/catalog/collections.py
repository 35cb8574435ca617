"""Collections: which exist, and what fills them."""

import json
import time
from typing import Any, cast

from khub.components.catalog.collection_binding import CollectionBinding
from khub.components.catalog.database import Database, now
from khub.components.catalog.deletion import delete_chunks, delete_documents
from khub.components.catalog.index_states import leave_index, next_generation
from khub.components.catalog.slug import slug_of
from khub.components.errors import BindingError, CollectionError
from khub.components.own_names import with_current_names
from khub.components.text.nearest_name import nearest

DEFAULT_COLLECTION = "default"
NAME_LENGTH = 200
FIRST_INGEST = "ingest some files first: khub ingest PATH, or set KHUB_HOME to the hub that you mean"


def check_name(name: str) -> None:
    """Refuse a name that no collection may have.

    :raises CollectionError: if it is empty, too long or holds control characters.
    """
    if not name.strip() or len(name) > NAME_LENGTH or any(ord(c) < 32 for c in name):
        raise CollectionError(
            f"collection name {name[:50]!r} cannot be used",
            f"take 1 to {NAME_LENGTH} printable characters",
            code="name_invalid",
        )


class Collections:
    """Rows of the `collections` table."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def names(self) -> list[str]:
        """Return all names, sorted."""
        return [row[0] for row in self._db.rows("SELECT name FROM collections ORDER BY name")]

    def exists(self, name: str) -> bool:
        """Say whether the collection is known."""
        return self._row(name, "1") is not None

    def create(self, name: str) -> bool:
        """Add a collection if it is new; return whether it was.

        :raises CollectionError: if the name is empty, too long or holds control characters.
        """
        check_name(name)
        created = now()
        # an open reader must not take a collection that was deleted and made again for the one that it knows
        first_commit = time.time_ns()
        with self._db.transaction() as connection:
            generation = next_generation(connection)
            added = connection.execute(
                "INSERT INTO collections (name, slug, commits, changes_from, dense_generation, sparse_generation, "
                "created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
                (name, slug_of(name), first_commit, first_commit, generation, generation, created, created),
            )
            return added.rowcount > 0

    def remove(self, name: str) -> list[str]:
        """Forget a collection, its documents and chunks; return hashes of texts that may have become unused.

        Its dense index is noted as left.
        """
        with self._db.transaction() as connection:
            leave_index(connection, name)
            rows = connection.execute("SELECT DISTINCT text_hash FROM chunks WHERE collection = ?", (name,))
            hashes = [row[0] for row in rows]
            delete_chunks(connection, "c.collection = ?", (name,))
            delete_documents(connection, "d.collection = ?", (name,))
            for table in ("removals", "changes"):
                connection.execute(f"DELETE FROM {table} WHERE collection = ?", (name,))
            connection.execute("DELETE FROM collections WHERE name = ?", (name,))
        return hashes

    def resolve(self, name: str | None) -> str:
        """Return the collection that a question means: the named one, the only one, or `default`.

        :raises CollectionError: if there is no such collection, or none was named and several could be meant.
        """
        if name:
            if not self.exists(name):
                raise self.missing(name)
            return name
        names = self.names()
        if len(names) == 1:
            return names[0]
        if DEFAULT_COLLECTION in names:
            return DEFAULT_COLLECTION
        if not names:
            raise CollectionError(self.none_yet(), FIRST_INGEST)
        raise CollectionError(
            "no collection was named and there are several",
            f"name one; {_known(names)}",
            names,
            code="collection_ambiguous",
        )

    def none_yet(self) -> str:
        """Return that there is no collection, and where none is."""
        return f"there is no collection yet in {self._db.place}"

    def slug(self, name: str) -> str:
        """Return what every store accepts as the collection's name.

        :raises CollectionError: if there is no such collection.
        """
        return str(self._known_row(name, "slug")[0])

    def commits(self, name: str) -> int:
        """Return the number of the last batch: what is read of a collection stays as it is until that rises.

        :raises CollectionError: if there is no such collection.
        """
        return int(self._known_row(name, "commits")[0])

    def binding(self, name: str) -> CollectionBinding:
        """Return what the collection is bound to (`{}` before its first batch).

        :raises BindingError: if it cannot be read.
        """
        row = self._row(name, "binding")
        try:
            binding = with_current_names(json.loads(row["binding"])) if row else {}
            if not isinstance(binding, dict):
                raise ValueError("it is no mapping")
        except ValueError as error:
            remedy = "put a backup of the hub's folder back, or ingest the files into a new collection"
            raise BindingError(
                f"what the catalog says of collection {name!r} is wrong ({error})", remedy, code="index_damaged"
            ) from error
        return cast(CollectionBinding, binding)

    def bind(self, name: str, binding: CollectionBinding) -> CollectionBinding:
        """Record what fills the collection, unless it is bound already; return what it is bound to."""
        with self._db.transaction() as connection:
            connection.execute(
                "UPDATE collections SET binding = ? WHERE name = ? AND binding = '{}'",
                (json.dumps(binding, ensure_ascii=False), name),
            )
        return self.binding(name)

    def _row(self, name: str, columns: str) -> Any:
        return self._db.row(f"SELECT {columns} FROM collections WHERE name = ?", (name,))

    def _known_row(self, name: str, columns: str) -> Any:
        row = self._row(name, columns)
        if row is None:
            raise self.missing(name)
        return row

    def missing(self, name: str) -> CollectionError:
        """Return the error for a name that no collection has, with the names that there are."""
        names = self.names()
        if not names:
            return CollectionError(f"there is no collection {name!r} in {self._db.place}", FIRST_INGEST)
        similar = nearest(name, names, "")
        return CollectionError(
            f"there is no collection {name!r}", f"{similar} {_known(names)}" if similar else _known(names), names
        )


def _known(names: list[str]) -> str:
    return f"existing collections: {', '.join(names)}"
