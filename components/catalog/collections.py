"""Collections: which exist, what fills them, and which physical indexes hold them now."""

import json
import time
from dataclasses import dataclass
from typing import Any, cast

from khub.components.catalog.collection_binding import CollectionBinding
from khub.components.catalog.database import Database, now
from khub.components.catalog.deletion import delete_chunks, delete_documents
from khub.components.catalog.left_indexes import LeftIndex, note_left
from khub.components.catalog.slug import slug_of
from khub.components.catalog.transaction import Transaction
from khub.components.errors import BindingError, CollectionError
from khub.components.own_names import with_current_names
from khub.components.text.nearest_name import nearest

DEFAULT_COLLECTION = "default"
NAME_LENGTH = 200
FIRST_INGEST = "ingest some files first: khub ingest PATH, or set KHUB_HOME to the hub that you mean"


@dataclass(frozen=True)
class IndexState:
    """What a reader compares to know whether its open indexes are still the right ones."""

    slug: str
    dense_generation: int
    sparse_generation: int
    commits: int
    dirty: bool
    damaged: tuple[str, ...]

    def generation(self, leg: str) -> int:
        """Return the number of the generation that a leg (`dense`, `sparse`) reads."""
        return self.dense_generation if leg == "dense" else self.sparse_generation

    def physical(self, leg: str) -> str:
        """Return the name of a leg's physical index: the slug and its generation."""
        return f"{self.slug}_g{self.generation(leg)}"


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
            generation = _next_generation(connection)
            added = connection.execute(
                "INSERT INTO collections "
                "(name, slug, commits, dense_generation, sparse_generation, created_at, updated_at) "
                "VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
                (name, slug_of(name), first_commit, generation, generation, created, created),
            )
            return added.rowcount > 0

    def next_generation(self) -> int:
        """Return a number that no physical index of this hub has ever had."""
        with self._db.transaction() as connection:
            return _next_generation(connection)

    def remove(self, name: str) -> list[str]:
        """Forget a collection, its documents and chunks; return hashes of texts that may have become unused.

        Its dense index is noted as left.
        """
        with self._db.transaction() as connection:
            _leave_index(connection, name)
            rows = connection.execute("SELECT DISTINCT text_hash FROM chunks WHERE collection = ?", (name,))
            hashes = [row[0] for row in rows]
            delete_chunks(connection, "c.collection = ?", (name,))
            delete_documents(connection, "d.collection = ?", (name,))
            connection.execute("DELETE FROM removals WHERE collection = ?", (name,))
            connection.execute("DELETE FROM collections WHERE name = ?", (name,))
        return hashes

    def resolve(self, name: str | None) -> str:
        """Return the collection that a question means: the named one, the only one, or `default`.

        :raises CollectionError: if there is no such collection, or none was named and several could be meant.
        """
        if name:
            if not self.exists(name):
                raise self._missing(name)
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

    def state(self, name: str) -> IndexState:
        """Return the state of a collection's indexes.

        :raises CollectionError: if there is no such collection.
        """
        row = self._row(name, "slug, dense_generation, sparse_generation, commits, dirty, damaged")
        if row is None:
            raise self._missing(name)
        return IndexState(
            row["slug"],
            row["dense_generation"],
            row["sparse_generation"],
            row["commits"],
            bool(row["dirty"]),
            tuple(json.loads(row["damaged"])),
        )

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

    def manifest(self, name: str) -> dict[str, dict[str, list[int]]]:
        """Return size, modification time and checksum of every index file, by leg, as of the last batch."""
        row = self._row(name, "manifest")
        return json.loads(row["manifest"]) if row else {}

    def mark_dirty(self, name: str) -> None:
        """Say that a batch is being written: whoever finds this mark with the lock free knows that its writer died."""
        self._set(name, dirty=1)

    def mark_clean(self, name: str, manifest: dict[str, dict[str, list[int]]]) -> None:
        """Say that the indexes are whole again, and what their files look like; open readers look anew."""
        with self._db.transaction() as connection:
            connection.execute(
                "UPDATE collections SET dirty = 0, manifest = ?, commits = commits + 1, updated_at = ? WHERE name = ?",
                (json.dumps(manifest), now(), name),
            )

    def mark_damaged(self, name: str, leg: str) -> None:
        """Remember that a leg's files are broken, so that nobody opens them before they are rebuilt."""
        with self._db.transaction() as connection:
            row = connection.execute("SELECT damaged FROM collections WHERE name = ?", (name,)).fetchone()
            legs = sorted({*json.loads(row[0]), leg}) if row else [leg]
            connection.execute("UPDATE collections SET damaged = ? WHERE name = ?", (json.dumps(legs), name))

    def start_generation(
        self,
        name: str,
        leg: str,
        generation: int,
        manifest: dict[str, dict[str, list[int]]],
        binding: CollectionBinding | None = None,
    ) -> None:
        """Switch all readers of a leg to a freshly built index, and the collection to a new binding if there is one.

        The dense index of before is noted as left.
        """
        with self._db.transaction() as connection:
            row = connection.execute(
                "SELECT slug, damaged, binding FROM collections WHERE name = ?", (name,)
            ).fetchone()
            if leg == "dense":
                _leave_index(connection, name)
                connection.execute("DELETE FROM left_indexes WHERE physical = ?", (f"{row['slug']}_g{generation}",))
            damaged = [other for other in json.loads(row["damaged"]) if other != leg]
            bound = row["binding"] if binding is None else json.dumps(binding, ensure_ascii=False)
            connection.execute(
                f"UPDATE collections SET {leg}_generation = ?, damaged = ?, manifest = ?, binding = ?, "
                "commits = commits + 1, updated_at = ? WHERE name = ?",
                (generation, json.dumps(damaged), json.dumps(manifest), bound, now(), name),
            )

    def _row(self, name: str, columns: str) -> Any:
        return self._db.row(f"SELECT {columns} FROM collections WHERE name = ?", (name,))

    def _set(self, name: str, **values: Any) -> None:
        names = ", ".join(f"{column} = ?" for column in values)
        with self._db.transaction() as connection:
            connection.execute(
                f"UPDATE collections SET {names}, updated_at = ? WHERE name = ?",
                (*values.values(), now(), name),
            )

    def _missing(self, name: str) -> CollectionError:
        names = self.names()
        if not names:
            return CollectionError(f"there is no collection {name!r} in {self._db.place}", FIRST_INGEST)
        similar = nearest(name, names, "")
        return CollectionError(
            f"there is no collection {name!r}", f"{similar} {_known(names)}" if similar else _known(names), names
        )


def _known(names: list[str]) -> str:
    return f"existing collections: {', '.join(names)}"


def _leave_index(connection: Transaction, name: str) -> None:
    """Note a collection's dense index as left, unless it was never bound to a store."""
    row = connection.execute(
        "SELECT slug, dense_generation, binding FROM collections WHERE name = ?", (name,)
    ).fetchone()
    store = with_current_names(json.loads(row["binding"])).get("store") if row else None
    if store:
        note_left(connection, LeftIndex(f"{row['slug']}_g{row['dense_generation']}", row["slug"], store))


def _next_generation(connection: Transaction) -> int:
    connection.execute("UPDATE generations SET last = last + 1")
    found: int = connection.execute("SELECT last FROM generations").fetchone()[0]
    return found
