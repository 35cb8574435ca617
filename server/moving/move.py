"""Carry a hub to another place: its catalog from a file into PostgreSQL and back, its files into an object store."""

import contextlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from khub.components.catalog.access import access_levels
from khub.components.catalog.catalog import Catalog, open_catalog
from khub.components.catalog.database import Database
from khub.components.catalog.schema import table_named
from khub.components.catalog.table_rows import count_of
from khub.components.errors import ClosedError, CollectionError, OptionError
from khub.components.stores.bound_parts import bound_store
from khub.components.stores.collection_lock import locks_of
from khub.components.stores.index_writer import IndexWriter
from khub.server.moving.carried_files import CarriedFile, carry_files, files_of
from khub.server.moving.carried_tables import carried_rows, carry_tables, different_tables
from khub.server.moving.unfinished_jobs import refuse_unfinished_jobs

Steps = Callable[[str, str], contextlib.AbstractContextManager[Callable[[int, int], None]]]
"""Given what is under way and what is counted, gives what is told how many are done, and of how many."""
LOCK = "move"
COUNTED = ("collections", "documents", "chunks", "vectors")


@dataclass(frozen=True)
class Moved:
    """What came of it.

    :param old: where the hub was.
    :param counts: of what there is, in the old place and in the new one.
    :param differences: a line each; where there is one, nobody takes what is in the new place for a hub.
    :param lost: files that the old place has not as they should be, and the new one neither.
    """

    old: str
    new: str
    counts: dict[str, tuple[int, int]]
    differences: list[str]
    lost: list[str]


def move(url: str, files: str, steps: Steps) -> Moved:
    """Carry the hub that the environment names to another place, which is no hub before all of it is compared.

    What an earlier call that was stopped has brought there stays, where it is still as it is here. Nobody can write
    into the collections meanwhile; what is written all the same is a difference.

    :param url: of the database; empty for the file in the hub's folder.
    :param files: address of the object store for the files; empty for the hub's folder.
    :raises KhubError: before any work, where the hub cannot be moved now, or not to that place.
    """
    old = open_catalog()
    new = Catalog(old.home, url, files)
    _check(old, new)
    with contextlib.closing(new.database), contextlib.ExitStack() as held:
        for catalog in (old, new):  # one database by two addresses is told here
            held.enter_context(catalog.database.lock(LOCK, wait=False))
        new.database.require_empty()
        new.files.kept(old.home / "originals")
        refuse_unfinished_jobs(old)
        names = _hold_writers(old, held)
        draft = new.database.draft()
        held.callback(draft.close)
        with draft.transaction():
            pass  # who may not make tables there is told before any work
        with steps("move", "files") as shown:
            carried = carry_files(old, new, files_of(old), shown)
        with steps("move", "rows") as shown:
            carry_tables(old, draft, shown)
        with steps("check", "rows") as shown:
            differences = different_tables(old, draft, shown)
        differences += [f"collection {name!r} is new here" for name in old.collections.names() if name not in names]
        refuse_unfinished_jobs(old)
        moved = _moved(old, new, draft, carried, differences)
        draft.close()
        if not moved.differences:
            new.index_states.take_over(list(carried_rows(old, table_named("collections"))))
            new.database.adopt_draft()
        return moved


def _check(old: Catalog, new: Catalog) -> None:
    if access_levels() is not None:
        raise ClosedError("a hub is moved as a whole, and KHUB_ACCESS opens a part of it", "unset KHUB_ACCESS")
    if old.database.shared == new.database.shared and old.database.place == new.database.place:
        raise OptionError(
            f"the catalog of this hub lies in {old.database.place} already",
            "name another place, or let KHUB_DATABASE_URL name the hub that you mean",
        )
    if not old.collections.names():
        raise CollectionError(
            old.collections.none_yet(), "let KHUB_HOME and KHUB_DATABASE_URL name the hub that you mean"
        )


def _hold_writers(catalog: Catalog, held: contextlib.ExitStack) -> list[str]:
    """Keep everybody from writing the collections, and return their names.

    The indexes of each here are whole then, and hold its last commit.
    """
    names = catalog.collections.names()
    for name in names:
        binding, locks = catalog.collections.binding(name), locks_of(catalog, catalog.collections.slug(name))
        with locks.try_writer():
            pass  # who writes now is told, and not waited for
        if binding:
            held.enter_context(IndexWriter(catalog, name, bound_store(binding["store"]), binding).writing())
        else:
            held.enter_context(locks.try_writer())
    return names


def _moved(
    old: Catalog, new: Catalog, draft: Database, carried: Sequence[CarriedFile], differences: Sequence[str]
) -> Moved:
    counted = {name: table_named(name) for name in COUNTED}
    counts = {name: (count_of(old.database, table), count_of(draft, table)) for name, table in counted.items()}
    for kind in dict.fromkeys(("originals", "pictures", *(file.kind for file in carried))):
        of_kind = [file for file in carried if file.kind == kind]
        counts[kind] = sum(file.in_old for file in of_kind), sum(file.in_new for file in of_kind)
    other = [f"file {file.path} is not there as it is here" for file in carried if file.in_old != file.in_new]
    lost = [str(file.path) for file in carried if not file.in_old]
    return Moved(old.database.place, new.database.place, counts, [*differences, *other], lost)
