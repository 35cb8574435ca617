"""Indexes that are open for reading, shared in the process, and exchanged when another process has written."""

import contextlib
import logging
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from khub.components.catalog.catalog import Catalog
from khub.components.catalog.database import LockHeldError
from khub.components.catalog.index_states import IndexState
from khub.components.disk_full import DiskFullError, is_disk_full
from khub.components.errors import IndexDamagedError, KhubError, StoreError
from khub.components.failure_reason import failure_reason
from khub.components.stores.collection_lock import locks_of
from khub.components.stores.index_paths import sparse_folder
from khub.components.stores.manifest import Manifest, first_change, first_damage
from khub.components.stores.open_store import OpenStore
from khub.components.stores.sparse_index import SparseIndex
from khub.components.stores.store_failure import told_by_store
from khub.components.stores.store_protocol import FileBacked, OneProcess, close_store
from khub.components.stores.store_template import StoreTemplate

logger = logging.getLogger(__name__)

REBUILD = "rebuild it: khub doctor --repair"
ON_A_SERVER = "see that its server runs, and that the graph and the environment name it right"
REASON_CHARACTERS = 200
COUNTS_KEPT_S = 10.0
"""What is deleted goes from an engine shortly after the commit that the counts are of."""


@dataclass
class _Open:
    """An open index, and how many queries are using it."""

    state: IndexState
    index: Any
    users: int = 0
    retired: bool = False
    frequencies: dict[str, int] = field(default_factory=dict)
    counted_at: float = 0.0


@dataclass(frozen=True)
class EngineIndex:
    """An open store that holds the words of its documents, too.

    :param retriever: its keyword retriever.
    :param frequencies: number of documents that hold a word, as far as it was asked for lately.
    """

    store: Any
    retriever: Any
    frequencies: dict[str, int]


class DenseReader:
    """One collection's dense index, as one store template reads it.

    The commit counter in the catalog tells when to open it anew; queries that are under way keep the old client, which
    is closed behind the last of them (closing it earlier fails them, dropping it leaks memory and threads).
    """

    def __init__(self, catalog: Catalog, collection: str, template: StoreTemplate) -> None:
        self._catalog = catalog
        self._collection = collection
        self._template = template
        self._guard = threading.Lock()
        self._opening = threading.Lock()
        self._current: _Open | None = None

    @contextlib.contextmanager
    def lease(self) -> Iterator[Any]:
        """Lend the store's retriever, as of the last commit.

        :raises StoreError: if the index is lost (a writer was killed) or damaged, until it is rebuilt; or if the
            collection lies in another store by now.
        """
        opened = self._take()
        try:
            yield opened.index.retriever
        finally:
            self._give_back(opened)

    @contextlib.contextmanager
    def lease_engine(self) -> Iterator[EngineIndex]:
        """Lend the store for its words, as of the last commit.

        :raises StoreError: as `lease` does, and if the store fails.
        """
        opened = self._take()
        store = opened.index.store
        if time.monotonic() - opened.counted_at > COUNTS_KEPT_S:
            opened.frequencies.clear()
            opened.counted_at = time.monotonic()
        try:
            with told_by_store(self._template):
                yield EngineIndex(store, self._template.keyword_retriever(store), opened.frequencies)
        finally:
            self._give_back(opened)

    def close(self) -> None:
        """Close the client once no query uses it."""
        with self._guard:
            current, self._current = self._current, None
        if current is not None:
            self._retire(current)

    def _take(self) -> _Open:
        state = self._catalog.index_states.state(self._collection)
        opened = self._take_if_fresh(state)
        if opened is None:
            with self._opening:
                opened = self._take_if_fresh(state) or self._reopen()
        return opened

    def _take_if_fresh(self, state: IndexState) -> _Open | None:
        with self._guard:
            current = self._current
            if current is None or current.state.commits != state.commits or "dense" in state.damaged:
                return None
            current.users += 1
            return current

    def _reopen(self) -> _Open:
        state = self._catalog.index_states.state(self._collection)
        with locks_of(self._catalog, state.slug).index_shared():
            state = self._catalog.index_states.state(self._collection)
            self._refuse_moved()
            self._refuse_lost(state)
            index = OpenStore(self._template, state.physical("dense"), self._catalog.home)
            try:
                self._refuse_damaged(index.store)
                self._load(index)
            except BaseException:
                index.abandon()
                raise
        opened = _Open(state, index, users=1)
        with self._guard:
            before, self._current = self._current, opened
        if before is not None:
            self._retire(before)
        return opened

    def _load(self, index: OpenStore) -> None:
        """Open the files: they are read at the first search, and that must happen while nobody writes."""
        dimension = self._catalog.vectors.dimension(self._collection)
        try:
            if dimension:
                index.retriever.run(query_embedding=[1.0] + [0.0] * (dimension - 1), top_k=1)
        except Exception as error:
            close_store(index.store)
            if is_disk_full(error):  # Chroma writes whenever it is opened
                raise DiskFullError(self._catalog.home, str(error)) from error
            if isinstance(error, KhubError):
                raise  # it knows the remedy
            reason = failure_reason(error)[:REASON_CHARACTERS]
            remedy = REBUILD if self._template.roots(self._catalog.home) else ON_A_SERVER
            raise StoreError(
                f"the dense index cannot be opened ({reason})", remedy, code="store_unreachable"
            ) from error

    def _refuse_moved(self) -> None:
        """Tell a store that the collection has left from one whose files are lost."""
        if self._catalog.collections.binding(self._collection).get("store") != self._template.to_dict():
            raise StoreError(f"collection {self._collection!r} has moved to another document store", "ask again")

    def _refuse_lost(self, state: IndexState) -> None:
        if "dense" in state.damaged:
            raise IndexDamagedError("the dense index is damaged", REBUILD)
        # what a stopped writer put into a server is whole, and not visible
        if state.dirty and self._template.roots(self._catalog.home):
            raise IndexDamagedError("the dense index is being rebuilt: its last writer was stopped", REBUILD)

    def _refuse_damaged(self, store: Any) -> None:
        manifest = self._catalog.index_states.manifest(self._collection).get("dense", {})
        folder = store.folder if isinstance(store, FileBacked) else None
        name = first_damage(folder, manifest) if folder is not None and manifest else None
        if name:
            self._catalog.index_states.mark_damaged(self._collection, "dense")
            raise IndexDamagedError(f"the dense index is damaged (file {name})", REBUILD)

    def _give_back(self, opened: _Open) -> None:
        with self._guard:
            opened.users -= 1
            store = opened.index.store
            if opened.users == 0 and isinstance(store, OneProcess) and store.alone:  # other processes want it, too
                opened.retired = True
                self._current = None if self._current is opened else self._current
            idle = opened.retired and opened.users == 0
        if idle:
            opened.index.close()

    def _retire(self, opened: _Open) -> None:
        with self._guard:
            opened.retired = True
            idle = opened.users == 0
        if idle:
            opened.index.close()


class SparseReader:
    """One collection's keyword index; a commit of another process needs no lock to be seen."""

    def __init__(self, catalog: Catalog, collection: str) -> None:
        self._catalog = catalog
        self._collection = collection
        self._lock = threading.Lock()
        self._current: _Open | None = None

    def get(self) -> SparseIndex:
        """Return the index as of the last commit.

        :raises StoreError: if it is damaged, until it is rebuilt.
        """
        with self._lock:
            state = self._fit_state()
            current = self._current
            if current is None or current.state.sparse_generation != state.sparse_generation:
                index = SparseIndex(sparse_folder(self._catalog.home, state.physical("sparse")))
                index.refresh()
                self._current = current = _Open(state, index)
            elif current.state.commits != state.commits:
                current.index.refresh()
                current.state = state
            found: SparseIndex = current.index
            return found

    def _fit_state(self) -> IndexState:
        """Look at the files before every search: reading a mapped file that was cut short kills the process.

        :raises StoreError: if a file is not as the last writer left it.
        """
        state = self._catalog.index_states.state(self._collection)
        if "sparse" in state.damaged:
            raise IndexDamagedError("the keyword index is damaged", REBUILD)
        if state.dirty or self._first(first_change, state) is None:
            return state  # while it is dirty, files may change: tantivy's commits are atomic
        try:
            with locks_of(self._catalog, state.slug).try_index_shared():
                state = self._catalog.index_states.state(self._collection)
                name = None if state.dirty else self._first(first_damage, state)
                if name:
                    self._catalog.index_states.mark_damaged(self._collection, "sparse")
                    self._current = None
                    raise IndexDamagedError(f"the keyword index is damaged (file {name})", REBUILD)
        except LockHeldError:
            return self._catalog.index_states.state(self._collection)  # a writer is at work
        return state

    def _first(self, check: Callable[[Path, Manifest], str | None], state: IndexState) -> str | None:
        folder = sparse_folder(self._catalog.home, state.physical("sparse"))
        return check(folder, self._catalog.index_states.manifest(self._collection).get("sparse", {}))


_dense: dict[tuple[str, str, str], DenseReader] = {}
_sparse: dict[tuple[str, str], SparseReader] = {}
_shared = threading.Lock()


def dense_reader(catalog: Catalog, collection: str, template: StoreTemplate) -> DenseReader:
    """Return the process's reader of a collection's dense index."""
    key = (str(catalog.home), collection, template.key)
    with _shared:
        reader = _dense.get(key)
        stale = [] if reader else _forget_stale(catalog, key)
        if reader is None:
            reader = _dense[key] = DenseReader(catalog, collection, template)
    for old in stale:
        old.close()
    return reader


def sparse_reader(catalog: Catalog, collection: str) -> SparseReader:
    """Return the process's reader of a collection's keyword index."""
    key = (str(catalog.home), collection)
    with _shared:
        if key not in _sparse:
            _sparse[key] = SparseReader(catalog, collection)
        return _sparse[key]


def _forget_stale(catalog: Catalog, new: tuple[str, str, str]) -> list[DenseReader]:
    """Take out the readers of collections that are gone, or lie in another store now."""
    home, names = new[0], set(catalog.collections.names())
    gone = [key for key in _dense if key[0] == home and (key[1] not in names or key[1] == new[1])]
    for key in [key for key in _sparse if key[0] == home and key[1] not in names]:
        del _sparse[key]
    return [_dense.pop(key) for key in gone]


def close_readers() -> None:
    """Close every open index of the process, when the hub is shut down."""
    with _shared:
        readers = list(_dense.values())
        _dense.clear()
        _sparse.clear()
    for reader in readers:
        reader.close()
