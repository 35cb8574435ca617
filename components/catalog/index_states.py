"""Which physical indexes hold the collections, and whether they are whole."""

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from khub.components.catalog.collection_binding import CollectionBinding
from khub.components.catalog.database import Database, now
from khub.components.catalog.left_indexes import LeftIndex, note_left
from khub.components.catalog.transaction import Transaction
from khub.components.errors import CollectionError
from khub.components.own_names import with_current_names

Manifests = dict[str, dict[str, list[int]]]
"""Leg -> file -> size, modification time in ns, checksum."""


@dataclass(frozen=True)
class IndexState:
    """What a reader compares to know whether its open indexes are still the right ones.

    :param commits: the last batch that they hold.
    """

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


class IndexStates:
    """Rows of the `collections` table, as far as they are of indexes.

    :param database: the catalog's: whoever writes a collection writes its indexes with it.
    :param missing: makes the error for a name that no collection has.
    """

    def __init__(self, database: Database, missing: Callable[[str], CollectionError]) -> None:
        self._db = database
        self._missing = missing

    def state(self, name: str) -> IndexState:
        """Return the state of a collection's indexes.

        :raises CollectionError: if there is no such collection.
        """
        row = self._db.row(
            "SELECT slug, dense_generation, sparse_generation, commits, dirty, damaged FROM collections WHERE name = ?",
            (name,),
        )
        if row is None:
            raise self._missing(name)
        slug, dense, sparse, commits, dirty, damaged = row
        return IndexState(slug, dense, sparse, commits, bool(dirty), tuple(json.loads(damaged)))

    def manifest(self, name: str) -> Manifests:
        """Return size, modification time and checksum of every index file, by leg, as of the last batch."""
        row = self._db.row("SELECT manifest FROM collections WHERE name = ?", (name,))
        return json.loads(row["manifest"]) if row else {}

    def next_generation(self) -> int:
        """Return a number that no physical index of this hub has ever had."""
        with self._db.transaction() as connection:
            return next_generation(connection)

    def mark_dirty(self, name: str) -> None:
        """Say that a batch is being written: whoever finds this mark with the lock free knows that its writer died."""
        with self._db.transaction() as connection:
            connection.execute("UPDATE collections SET dirty = 1, updated_at = ? WHERE name = ?", (now(), name))

    def mark_clean(self, name: str, manifest: Manifests) -> None:
        """Say that the indexes are whole again, and what their files look like; open readers look anew."""
        with self._db.transaction() as connection:
            connection.execute(
                "UPDATE collections SET dirty = 0, manifest = ?, commits = commits + 1, updated_at = ? WHERE name = ?",
                (json.dumps(manifest), now(), name),
            )

    def followed(self, name: str, commits: int) -> None:
        """Say which commit the indexes hold; nobody else writes these, and they hold the last one."""

    def take_over(self, rows: Iterable[Sequence[Any]]) -> None:
        """Take over states that stand in rows of the table `collections`, all of them: nothing is to be done for it."""

    def mark_damaged(self, name: str, leg: str) -> None:
        """Remember that a leg's files are broken, so that nobody opens them before they are rebuilt."""
        with self._db.transaction() as connection:
            row = connection.execute("SELECT damaged FROM collections WHERE name = ?", (name,)).fetchone()
            legs = sorted({*json.loads(row[0]), leg}) if row else [leg]
            connection.execute("UPDATE collections SET damaged = ? WHERE name = ?", (json.dumps(legs), name))

    def start_generation(
        self, name: str, leg: str, generation: int, manifest: Manifests, binding: CollectionBinding | None = None
    ) -> None:
        """Switch all readers of a leg to a freshly built index, and the collection to a new binding if there is one.

        The dense index of before is noted as left.
        """
        with self._db.transaction() as connection:
            row = connection.execute(
                "SELECT slug, damaged, binding FROM collections WHERE name = ?", (name,)
            ).fetchone()
            if leg == "dense":
                leave_index(connection, name)
                connection.execute("DELETE FROM left_indexes WHERE physical = ?", (f"{row['slug']}_g{generation}",))
            damaged = [other for other in json.loads(row["damaged"]) if other != leg]
            bound = row["binding"] if binding is None else json.dumps(binding, ensure_ascii=False)
            connection.execute(
                f"UPDATE collections SET {leg}_generation = ?, damaged = ?, manifest = ?, binding = ?, "
                "commits = commits + 1, updated_at = ? WHERE name = ?",
                (generation, json.dumps(damaged), json.dumps(manifest), bound, now(), name),
            )


def leave_index(connection: Transaction, name: str) -> None:
    """Note a collection's dense index as left, unless it was never bound to a store."""
    row = connection.execute(
        "SELECT slug, dense_generation, binding FROM collections WHERE name = ?", (name,)
    ).fetchone()
    store: Any = with_current_names(json.loads(row["binding"])).get("store") if row else None
    if store:
        note_left(connection, LeftIndex(f"{row['slug']}_g{row['dense_generation']}", row["slug"], store))


def next_generation(connection: Transaction) -> int:
    """Return a number that no physical index of this hub has ever had, in the transaction that takes it."""
    connection.execute("UPDATE generations SET last = last + 1")
    found: int = connection.execute("SELECT last FROM generations").fetchone()[0]
    return found
