"""The indexes of one collection, open for whoever changes them, and what the catalog is told of them."""

import contextlib
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any

from haystack import Document
from haystack.document_stores.types import DuplicatePolicy

from khub.components.catalog.catalog import Catalog
from khub.components.catalog.index_states import IndexState
from khub.components.catalog.left_indexes import LeftIndex
from khub.components.errors import IndexDamagedError
from khub.components.private_files import private_folder
from khub.components.stores.collection_lock import locks_of
from khub.components.stores.index_entries import bare_document, sparse_entry
from khub.components.stores.index_paths import sparse_folder
from khub.components.stores.manifest import Manifest, describe
from khub.components.stores.open_store import OpenStore
from khub.components.stores.sparse_index import SparseIndex
from khub.components.stores.store_failure import told_by_store
from khub.components.stores.store_protocol import FileBacked
from khub.components.stores.store_template import StoreTemplate


class CollectionIndexes:
    """The dense and the keyword index of a collection.

    Change them with one of the writer's locks held, and close them before it is given back.

    :param catalog: the hub's catalog.
    :param collection: name of a collection that exists.
    :param template: the template of the store in which the dense index lies.
    :param fingerprint: that of the embedder whose vectors it holds.
    :ivar has_sparse: whether there is a keyword index; else the store has the words, too, and nothing lies beside it.
    :ivar is_local: whether the dense index lies in folders of this machine, not in a server.
    """

    SLICE = 1000  # chunks written under one hold of the index lock: about half a second

    def __init__(self, catalog: Catalog, collection: str, template: StoreTemplate, fingerprint: str) -> None:
        self.catalog = catalog
        self.collection = collection
        self.template = template
        self.fingerprint = fingerprint
        self.slug = self.state().slug
        self.locks = locks_of(catalog, self.slug)
        self.has_sparse = template.keywords is None
        self.is_local = bool(template.roots(catalog.home))
        self._open: OpenStore | None = None

    def state(self) -> IndexState:
        """Return the state of the indexes.

        :raises CollectionError: if the collection was deleted meanwhile.
        """
        return self.catalog.index_states.state(self.collection)

    def dense(self) -> Any:
        """Return the store of the dense index, which is opened if it is not.

        :raises StoreError: if the store cannot be used.
        """
        if self._open is None:
            self._open = self._opened(self.state().physical("dense"))
        return self._open.store

    def begin_dense(self, physical: str) -> None:
        """Begin another dense index in the place of the open one; it is noted as left until readers are switched to it.

        :raises StoreError: if the store cannot be used.
        """
        self.close()
        self.catalog.left_indexes.add(LeftIndex(physical, self.slug, self.template.to_dict()))
        self._open = self._opened(physical)

    def close(self) -> None:
        """Close the store; what comes next opens it anew."""
        opened, self._open = self._open, None
        if opened is not None:
            opened.close()

    def write_dense(self, documents: list[Document]) -> None:
        """Write documents into the store, in place of those that it has.

        :param documents: as `bare` makes them.
        """
        with told_by_store(self.template):
            self.dense().write_documents(documents, policy=DuplicatePolicy.OVERWRITE)

    def delete_dense(self, chunk_ids: list[str]) -> None:
        """Take chunks out of the store."""
        with told_by_store(self.template):
            self.dense().delete_documents(chunk_ids)

    def bare(self, chunks: Iterable[Document]) -> list[Document]:
        """Return what the store is given of chunks that have their vectors."""
        return [bare_document(chunk.id, chunk.embedding, None if self.has_sparse else chunk) for chunk in chunks]

    def sparse(self) -> SparseIndex:
        """Return the keyword index that readers use."""
        return SparseIndex(sparse_folder(self.catalog.home, self.state().physical("sparse")))

    def write_sparse(self, entries: Iterable[tuple[str, list[str]]], removed: Sequence[str]) -> None:
        """Write chunks into the keyword index, as `sparse_entry` makes them, and take others out, if there is one."""
        if self.has_sparse:
            self.sparse().write(entries, removed)

    @contextlib.contextmanager
    def changing(self, chunks: Collection[Document] = ()) -> Iterator[None]:
        """Keep everybody from opening the indexes in the block; if it is killed, they are marked as dirty.

        :param chunks: what is written into both indexes before it, with the vectors.
        """
        entries, bare = [sparse_entry(chunk) for chunk in chunks if self.has_sparse], self.bare(chunks)
        with self.locks.index_exclusive():
            self.dense()  # a store that is down, or that another process has, makes no index dirty
            self.catalog.index_states.mark_dirty(self.collection)
            if chunks:
                with self.sparse().writing(entries) if self.has_sparse else contextlib.nullcontext():
                    self.write_dense(bare)
            yield
            self._mark_clean()

    def mark_whole(self) -> None:
        """Say that the indexes are whole, and what their files look like."""
        with self.locks.index_exclusive():
            self._mark_clean()

    def reached(self) -> None:
        """Say that the indexes here hold all that their writer has committed: nobody else can have."""
        self.catalog.index_states.followed(self.collection, self.catalog.collections.commits(self.collection))

    def settle(self, removed: Sequence[str]) -> None:
        """Say that both indexes hold what the catalog says, and forget what stopped writers had left.

        :param removed: chunks that awaited their removal.
        """
        self.catalog.vectors.drop_unused(self.catalog.chunks.forget_leftovers(self.collection))
        self.catalog.chunks.forget_removals(self.collection, removed)
        self.mark_whole()
        self.reached()

    def manifest(self) -> dict[str, Manifest]:
        """Return what the index files look like, by leg."""
        before = self.catalog.index_states.manifest(self.collection)
        manifest: dict[str, Manifest] = {}
        sparse, store = self.sparse(), self.dense()
        if sparse.folder.is_dir() and self.has_sparse:
            manifest["sparse"] = describe(sparse.folder, sparse.index_files(), before.get("sparse", {}))
        if isinstance(store, FileBacked) and store.folder is not None:
            manifest["dense"] = describe(store.folder, store.index_files(), before.get("dense", {}))
        return manifest

    def vectors(self) -> Iterator[tuple[str, list[float]]]:
        """Yield (chunk id, vector) of every chunk that the indexes have to hold, in order.

        :raises IndexDamagedError: if the catalog has lost one.
        """
        for chunk_id, vector in self.catalog.vectors.of_collection(self.collection, self.fingerprint):
            if vector is None:
                raise self._no_vector(chunk_id)
            yield chunk_id, vector.tolist()

    def vectors_of(self, chunk_ids: Sequence[str]) -> dict[str, list[float]]:
        """Return the vectors of visible chunks by chunk id.

        :raises IndexDamagedError: if the catalog has lost one.
        """
        found = self.catalog.vectors.of_chunks(self.collection, chunk_ids, self.fingerprint)
        if missing := set(chunk_ids) - found.keys():
            raise self._no_vector(min(missing))
        return {chunk_id: vector.tolist() for chunk_id, vector in found.items()}

    def _no_vector(self, chunk_id: str) -> IndexDamagedError:
        return IndexDamagedError(
            f"chunk {chunk_id} of collection {self.collection!r} has no vector",
            f"embed the collection again: khub reindex --collection {self.collection}",
        )

    def _mark_clean(self) -> None:
        self.catalog.index_states.mark_clean(self.collection, self.manifest())

    def _opened(self, physical: str) -> OpenStore:
        home = self.catalog.home
        for folder in self.template.parents(physical, home):
            private_folder(folder)
        with told_by_store(self.template):
            opened = OpenStore(self.template, physical, home)
            try:
                opened.store.count_documents()  # connects, and makes an index that is new
            except BaseException:
                opened.abandon()
                raise
        return opened
