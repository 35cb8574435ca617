"""Locks between processes: one writer at a time, and nobody opens an index while it is written."""

import contextlib
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TextIO

import portalocker

from khub.components.catalog.catalog import Catalog
from khub.components.catalog.database import Database, LockHeldError
from khub.components.private_files import owners_alone, private_folder

WINDOWS_POLL_S = 0.02


class CollectionLocks:
    """Two file locks of a collection; the system frees them when their holder dies.

    *writer* is held by whoever changes the collection, for as long as a batch of documents takes. *index* is a
    readers-writer lock around the index files: exclusive for each slice that is written, shared while an index is
    opened (a Chroma index that is opened while another process writes it can crash its opener).

    Where other machines write the catalog, too, the writer holds a lock of its database first; whoever lets the indexes
    here follow it takes the writer's file lock alone.

    :param home: the hub's data folder.
    :param slug: the collection's slug.
    :param database: of a catalog that other machines may have, too.
    """

    def __init__(self, home: Path, slug: str, database: Database | None = None) -> None:
        self._slug = slug
        self._database = database
        self._writer = home / "locks" / f"{slug}.writer"
        self._index = home / "locks" / f"{slug}.index"

    def writer(self) -> contextlib.AbstractContextManager[None]:
        """Hold the writer's lock; wait for it as long as it takes."""
        return self._everywhere(wait=True)

    def try_writer(self) -> contextlib.AbstractContextManager[None]:
        """Hold the writer's lock, or raise at once.

        :raises LockHeldError: if another process or thread is writing.
        """
        return self._everywhere(wait=False)

    def try_here(self) -> contextlib.AbstractContextManager[None]:
        """Keep the writers of this machine from its indexes, or raise at once.

        :raises LockHeldError: if one of them is writing.
        """
        return _hold(self._writer, portalocker.LockFlags.EXCLUSIVE | portalocker.LockFlags.NON_BLOCKING)

    @contextlib.contextmanager
    def _everywhere(self, wait: bool) -> Iterator[None]:
        flags = portalocker.LockFlags.EXCLUSIVE
        with contextlib.ExitStack() as held:
            if self._database is not None:
                held.enter_context(self._database.lock(f"writer:{self._slug}", wait))
            # who only follows here holds it for a moment
            patient = wait or (self._database is not None and self._database.shared)
            held.enter_context(_hold(self._writer, flags if patient else flags | portalocker.LockFlags.NON_BLOCKING))
            yield

    def index_exclusive(self) -> contextlib.AbstractContextManager[None]:
        """Keep everybody from opening the indexes."""
        return _hold(self._index, portalocker.LockFlags.EXCLUSIVE)

    def try_index_shared(self) -> contextlib.AbstractContextManager[None]:
        """Keep writers from the index files, or raise at once.

        :raises LockHeldError: if a writer is at work.
        """
        return _hold(self._index, portalocker.LockFlags.SHARED | portalocker.LockFlags.NON_BLOCKING)

    def index_shared(self) -> contextlib.AbstractContextManager[None]:
        """Keep writers from the index files while one is opened."""
        return _hold(self._index, portalocker.LockFlags.SHARED)


def locks_of(catalog: Catalog, slug: str) -> CollectionLocks:
    """Return the locks of a collection of a hub."""
    return CollectionLocks(catalog.home, slug, catalog.database)


@contextlib.contextmanager
def _hold(path: Path, flags: portalocker.LockFlags) -> Iterator[None]:
    private_folder(path.parent)
    with open(path, "a+", encoding="utf-8", opener=owners_alone) as file:
        try:
            _wait_for(file, flags)
        except (portalocker.exceptions.AlreadyLocked, portalocker.exceptions.LockException) as error:
            raise LockHeldError(f"{path.name} is held by another process", "try again when it has finished") from error
        try:
            yield
        finally:
            portalocker.unlock(file)


def _wait_for(file: TextIO, flags: portalocker.LockFlags) -> None:
    waits = not flags & portalocker.LockFlags.NON_BLOCKING
    if not waits or os.name != "nt":
        portalocker.lock(file, flags)
        return
    while True:  # Windows gives a blocking lock up after ten seconds
        try:
            portalocker.lock(file, flags | portalocker.LockFlags.NON_BLOCKING)
        except portalocker.exceptions.AlreadyLocked:
            time.sleep(WINDOWS_POLL_S)
        else:
            return
