"""Locks between processes: one writer at a time, and nobody opens an index while it is written."""

import contextlib
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TextIO

import portalocker

from khub.components.errors import StoreError
from khub.components.private_files import owners_alone, private_folder

WINDOWS_POLL_S = 0.02


class AlreadyHeldError(StoreError):
    """A lock that was only tried is held by another process."""

    code = "lock_held"


class CollectionLocks:
    """Two file locks of a collection; the system frees them when their holder dies.

    *writer* is held by whoever changes the collection, for as long as a batch of documents takes. *index* is a
    readers-writer lock around the index files: exclusive for each slice that is written, shared while an index is
    opened (a Chroma index that is opened while another process writes it can crash its opener).

    :param home: the hub's data folder.
    :param slug: the collection's slug.
    """

    def __init__(self, home: Path, slug: str) -> None:
        self._writer = home / "locks" / f"{slug}.writer"
        self._index = home / "locks" / f"{slug}.index"

    def writer(self) -> contextlib.AbstractContextManager[None]:
        """Hold the writer's lock; wait for it as long as it takes."""
        return _hold(self._writer, portalocker.LockFlags.EXCLUSIVE)

    def try_writer(self) -> contextlib.AbstractContextManager[None]:
        """Hold the writer's lock, or raise at once.

        :raises AlreadyHeldError: if another process or thread is writing.
        """
        return _hold(self._writer, portalocker.LockFlags.EXCLUSIVE | portalocker.LockFlags.NON_BLOCKING)

    def index_exclusive(self) -> contextlib.AbstractContextManager[None]:
        """Keep everybody from opening the indexes."""
        return _hold(self._index, portalocker.LockFlags.EXCLUSIVE)

    def try_index_shared(self) -> contextlib.AbstractContextManager[None]:
        """Keep writers from the index files, or raise at once.

        :raises AlreadyHeldError: if a writer is at work.
        """
        return _hold(self._index, portalocker.LockFlags.SHARED | portalocker.LockFlags.NON_BLOCKING)

    def index_shared(self) -> contextlib.AbstractContextManager[None]:
        """Keep writers from the index files while one is opened."""
        return _hold(self._index, portalocker.LockFlags.SHARED)


@contextlib.contextmanager
def _hold(path: Path, flags: portalocker.LockFlags) -> Iterator[None]:
    private_folder(path.parent)
    with open(path, "a+", encoding="utf-8", opener=owners_alone) as file:
        try:
            _wait_for(file, flags)
        except (portalocker.exceptions.AlreadyLocked, portalocker.exceptions.LockException) as error:
            raise AlreadyHeldError(
                f"{path.name} is held by another process", "try again when it has finished"
            ) from error
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
