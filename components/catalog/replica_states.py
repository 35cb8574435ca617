"""How far the indexes of this machine have followed a catalog that other machines write, too."""

import json
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from khub.components.catalog.collection_binding import CollectionBinding, holds_words
from khub.components.catalog.database import Database, now
from khub.components.catalog.index_states import IndexState, IndexStates, Manifests, leave_index, next_generation
from khub.components.catalog.schema import table_named
from khub.components.catalog.table_rows import write_rows
from khub.components.errors import CollectionError

OF_A_MACHINE = "{home}"
"""What the template of a store holds that lies in a folder."""


class ReplicaStates(IndexStates):
    """The same rows in a database of this machine; `commits` there is the last commit that its indexes hold.

    A dense index that lies in a server is one for all machines: which one, the catalog says. Where it holds the words,
    too, there are no indexes here, and the last commit of all is held by them.

    :param own: the database of this machine.
    :param catalog: that of all.
    :param missing: makes the error for a name that no collection has.
    """

    def __init__(self, own: Database, catalog: Database, missing: Callable[[str], CollectionError]) -> None:
        super().__init__(own, missing)
        self._catalog = catalog

    def state(self, name: str) -> IndexState:
        """Return the state of a collection's indexes here.

        :raises CollectionError: if there is no such collection.
        """
        row = self._catalog.row(
            "SELECT slug, dense_generation, commits, binding FROM collections WHERE name = ?", (name,)
        )
        if row is None:
            raise self._missing(name)
        if self._db.row("SELECT 1 FROM collections WHERE name = ?", (name,)) is None:
            self._begin(name, row["slug"])
        own = super().state(name)
        shared = _is_in_a_server(row["binding"])
        dense = row["dense_generation"] if shared else own.dense_generation
        commits = row["commits"] if shared and holds_words(json.loads(row["binding"])["store"]) else own.commits
        return IndexState(own.slug, dense, own.sparse_generation, commits, own.dirty, own.damaged)

    def next_generation(self) -> int:
        """Return a number that no physical index of this hub, on whatever machine, has ever had."""
        with self._catalog.transaction() as connection:
            return next_generation(connection)

    def mark_clean(self, name: str, manifest: Manifests) -> None:
        """Say that the indexes are whole again, and what their files look like."""
        with self._db.transaction() as connection:
            connection.execute(
                "UPDATE collections SET dirty = 0, manifest = ?, updated_at = ? WHERE name = ?",
                (json.dumps(manifest), now(), name),
            )

    def followed(self, name: str, commits: int) -> None:
        """Say that the indexes here hold a commit and all before it; open readers look anew."""
        with self._db.transaction() as connection:
            connection.execute("UPDATE collections SET commits = ? WHERE name = ?", (commits, name))

    def take_over(self, rows: Iterable[Sequence[Any]]) -> None:
        """Take over states of indexes that lie here; what was known of others is forgotten.

        :param rows: of the table `collections`, all of them.
        """
        write_rows(self._db, table_named("collections"), rows)

    def start_generation(
        self, name: str, leg: str, generation: int, manifest: Manifests, binding: CollectionBinding | None = None
    ) -> None:
        """Switch the readers of a leg here to a freshly built index.

        With a new binding of the collection, all machines build theirs anew.
        """
        state = self.state(name)
        with self._catalog.transaction() as connection:
            row = connection.execute("SELECT binding FROM collections WHERE name = ?", (name,)).fetchone()
            physical = f"{state.slug}_g{generation}"
            if leg == "dense" and _is_in_a_server(row["binding"]):
                leave_index(connection, name)
            bound = row["binding"] if binding is None else json.dumps(binding, ensure_ascii=False)
            if leg == "dense":
                connection.execute("DELETE FROM left_indexes WHERE physical = ?", (physical,))
            if leg == "dense" and _is_in_a_server(bound):
                connection.execute(
                    "UPDATE collections SET dense_generation = ?, commits = commits + 1 WHERE name = ?",
                    (generation, name),
                )
            if binding is not None:
                connection.execute(
                    "UPDATE collections SET binding = ?, commits = commits + 1, changes_from = commits + 1, "
                    "updated_at = ? WHERE name = ?",
                    (bound, now(), name),
                )
        damaged = [other for other in state.damaged if other != leg]
        with self._db.transaction() as connection:
            connection.execute(
                f"UPDATE collections SET {leg}_generation = ?, damaged = ?, manifest = ?, updated_at = ? "
                "WHERE name = ?",
                (generation, json.dumps(damaged), json.dumps(manifest), now(), name),
            )

    def _begin(self, name: str, slug: str) -> None:
        """Note a collection that has no indexes here yet; an earlier one of its slug was deleted elsewhere."""
        generation, time = self.next_generation(), now()
        with self._db.transaction() as connection:
            connection.execute("DELETE FROM collections WHERE slug = ? AND name <> ?", (slug, name))
            connection.execute(
                "INSERT INTO collections (name, slug, dense_generation, sparse_generation, created_at, updated_at) "
                "VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
                (name, slug, generation, generation, time, time),
            )


def _is_in_a_server(binding: str) -> bool:
    store: Any = json.loads(binding).get("store")
    return store is not None and OF_A_MACHINE not in json.dumps(store)
