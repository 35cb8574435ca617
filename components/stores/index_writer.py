"""Everything that changes a collection goes through here: one writer at a time, in steps that survive a kill."""

import contextlib
import logging
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from haystack import Document
from haystack.document_stores.types import DuplicatePolicy

from components.catalog.catalog import Catalog
from components.catalog.chunks import NewDocument
from components.errors import StoreError
from components.stores.collection_lock import CollectionLocks
from components.stores.index_paths import remove_old_generations, sparse_folder
from components.stores.manifest import Manifest, describe
from components.stores.sparse_index import SparseIndex
from components.stores.spellings import give_back_spelling, take_spelling
from components.stores.store_template import StoreTemplate
from components.text.chunk_text import indexed_text
from components.text.tokenizer import tokenize

logger = logging.getLogger(__name__)

SLICE = 1000  # chunks written under one hold of the index lock: about half a second


class IndexWriter:
    """Writes, deletes and repairs one collection.

    Order of a batch: chunks and vectors go into the catalog unseen (`stage`); then, under the exclusive lock and with
    the `dirty` mark set, into both indexes; then one transaction makes them visible (`publish`); then what they replace
    leaves the indexes and the mark is cleared. A kill at any point leaves either the old or the new version visible.

    Use it within `writing()`.

    :param catalog: the hub's catalog.
    :param collection: name of a collection that exists.
    :param template: the store template the collection is bound to.
    :param fingerprint: key of the collection's vectors in the catalog.
    """

    def __init__(self, catalog: Catalog, collection: str, template: StoreTemplate, fingerprint: str) -> None:
        self._catalog = catalog
        self._collection = collection
        self._template = template
        self._fingerprint = fingerprint
        self._slug = catalog.collections.state(collection).slug
        self._locks = CollectionLocks(catalog.home, self._slug)
        self._store: Any = None
        self._spelling = 0

    @contextlib.contextmanager
    def writing(self, repair: bool = True) -> Iterator["IndexWriter"]:
        """Hold the writer's lock; what a killed writer left is repaired first."""
        with self._locks.writer():
            try:
                if repair and self.needs_repair():
                    self.repair()
                yield self
            finally:
                self._close_store()

    def needs_repair(self) -> bool:
        """Say whether a writer died in this collection, or an index was found damaged. Ask with the lock held."""
        state = self._catalog.collections.state(self._collection)
        return state.dirty or bool(state.damaged) or bool(self._catalog.chunks.orphans(self._collection))

    def write(self, documents: Iterable[NewDocument]) -> None:
        """Write documents and make them visible one by one; a large one is written in slices and seen at its end."""
        waiting: list[Document] = []
        complete: list[NewDocument] = []
        for new in documents:
            before = self._catalog.chunks.text_hashes(new.doc_id)
            self._catalog.chunks.stage(new)
            changed = [c for c in new.chunks if before.get(c.id) != c.meta["text_hash"]]
            for start in range(0, len(changed), SLICE):
                waiting += changed[start : start + SLICE]
                if len(waiting) >= SLICE and start + SLICE < len(changed):
                    self._apply(waiting, complete)
                    waiting, complete = [], []
            complete.append(new)
            if len(waiting) >= SLICE:
                self._apply(waiting, complete)
                waiting, complete = [], []
        if waiting or complete:
            self._apply(waiting, complete)

    def delete(self, doc_ids: Sequence[str]) -> None:
        """Take documents out of sight at once, and out of both indexes."""
        if doc_ids:
            hashes = self._catalog.chunks.withdraw(self._collection, doc_ids)
            self._apply([], [])
            self._catalog.vectors.drop_unused(hashes)

    def repair(self, legs: Sequence[str] = ()) -> list[str]:
        """Make both indexes equal to the catalog again; return what was done, a line each.

        :param legs: legs (`dense`, `sparse`) to rebuild although they look whole.
        """
        state = self._catalog.collections.state(self._collection)
        lost = {*legs, *state.damaged, *(["dense"] if state.dirty else [])}
        # until the end of the repair nobody may take the indexes for whole
        self._catalog.collections.mark_dirty(self._collection)
        leftovers = sorted({*self._catalog.chunks.orphans(self._collection), *self._removals()})
        self._catalog.vectors.drop_unused(self._catalog.chunks.forget_removed(self._collection, staged=True))
        done = [self.rebuild("sparse") if "sparse" in lost else self._reconcile_sparse()]
        if "dense" in lost:
            done.append(self.rebuild("dense"))
        elif leftovers:
            with self._locks.index_exclusive():
                self._dense().delete_documents(leftovers)
        with self._locks.index_exclusive():
            self._catalog.collections.mark_clean(self._collection, self._manifest())
        done = [line for line in done if line]
        logger.warning("collection %s repaired: %s", self._collection, ", ".join(done) or "leftovers removed")
        return done

    def rebuild(self, leg: str, binding: dict[str, Any] | None = None) -> str:
        """Build a leg (`dense`, `sparse`) from the catalog into a new generation, and switch all readers to it.

        :param binding: what the collection is bound to from then on, if that changes.
        """
        state = self._catalog.collections.state(self._collection)
        generation = state.generation(leg) + 1
        physical = f"{self._slug}_g{generation}"
        if leg == "dense":
            self._close_store()
            self._store = self._build_store(physical)
            self._fill_dense()
        else:
            self._fill_sparse(sparse_folder(self._catalog.home, physical))
        with self._locks.index_exclusive():
            self._catalog.collections.start_generation(self._collection, leg, generation, binding)
            self._catalog.collections.set_manifest(self._collection, self._manifest())
        state = self._catalog.collections.state(self._collection)
        remove_old_generations(self._catalog.home, self._slug, state.dense_generation, state.sparse_generation)
        return f"{'dense' if leg == 'dense' else 'keyword'} index rebuilt"

    def move(self, binding: dict[str, Any]) -> None:
        """Build both legs under another binding (embedder, store, tokenizer), and bind the collection to it."""
        self._catalog.vectors.drop_unused(self._catalog.chunks.forget_removed(self._collection, staged=True))
        self.rebuild("sparse")
        self.rebuild("dense", binding)
        with self._locks.index_exclusive():
            self._catalog.collections.mark_clean(self._collection, self._manifest())

    def clear(self) -> None:
        """Empty the dense store before the collection is forgotten; files are deleted by whoever forgets it."""
        store = self._dense()
        if getattr(store, "folder", None) is None:
            store.delete_documents(sorted(self._catalog.chunks.visible_ids(self._collection)))

    def _apply(self, chunks: list[Document], publish: list[NewDocument]) -> None:
        tokens = [(chunk.id, tokenize(indexed_text(chunk))) for chunk in chunks]
        with self._index_change():
            if chunks:
                self._sparse().write(tokens)
                self._dense().write_documents(chunks, policy=DuplicatePolicy.OVERWRITE)
            for new in publish:
                self._catalog.chunks.publish(new)
            removals = self._removals()
            if removals:
                self._sparse().write([], removals)
                self._dense().delete_documents(removals)
        if publish or removals:
            self._catalog.vectors.drop_unused(self._catalog.chunks.forget_removed(self._collection))

    @contextlib.contextmanager
    def _index_change(self) -> Iterator[None]:
        with self._locks.index_exclusive():
            self._catalog.collections.mark_dirty(self._collection)
            yield
            self._catalog.collections.mark_clean(self._collection, self._manifest())

    def _removals(self) -> list[str]:
        return self._catalog.chunks.removals(self._collection)

    def _reconcile_sparse(self) -> str:
        try:
            stored = self._sparse().ids() if self._sparse().folder.is_dir() else set()
        except StoreError:
            return self.rebuild("sparse")
        wanted = self._catalog.chunks.visible_ids(self._collection)
        missing, extra = wanted - stored, sorted(stored - wanted)
        if not missing and not extra:
            return ""
        chunks = [d for d in self._catalog.chunks.visible(self._collection) if d.id in missing] if missing else []
        tokens = [(d.id, tokenize(indexed_text(d))) for d in chunks]
        with self._locks.index_exclusive():
            self._sparse().write(tokens, extra)
        return f"keyword index: {len(missing)} chunks added, {len(extra)} removed"

    def _fill_dense(self) -> None:
        batch: list[Document] = []
        for chunk_id, vector in self._catalog.vectors.of_collection(self._collection, self._fingerprint):
            if vector is None:
                raise StoreError(
                    f"chunk {chunk_id} of collection {self._collection!r} has no vector",
                    f"embed the collection again: khub reindex --collection {self._collection}",
                )
            batch.append(Document(id=chunk_id, embedding=vector.tolist()))
            if len(batch) == SLICE:
                self._store.write_documents(batch, policy=DuplicatePolicy.OVERWRITE)
                batch = []
        if batch:
            self._store.write_documents(batch, policy=DuplicatePolicy.OVERWRITE)

    def _fill_sparse(self, folder: Path) -> None:
        index = SparseIndex(folder)
        index.write((d.id, tokenize(indexed_text(d))) for d in self._catalog.chunks.visible(self._collection))

    def _sparse(self) -> SparseIndex:
        state = self._catalog.collections.state(self._collection)
        return SparseIndex(sparse_folder(self._catalog.home, state.physical("sparse")))

    def _dense(self) -> Any:
        if self._store is None:
            state = self._catalog.collections.state(self._collection)
            self._store = self._build_store(state.physical("dense"))
        return self._store

    def _build_store(self, physical: str) -> Any:
        self._spelling = take_spelling()
        return self._template.build(physical, self._catalog.home, self._spelling)[0]

    def _manifest(self) -> dict[str, Manifest]:
        before = self._catalog.collections.manifest(self._collection)
        sparse = self._sparse()
        manifest = {}
        if sparse.folder.is_dir():
            manifest["sparse"] = describe(sparse.folder, sparse.index_files(), before.get("sparse", {}))
        store = self._dense()
        if getattr(store, "folder", None) is not None:
            manifest["dense"] = describe(store.folder, store.index_files(), before.get("dense", {}))
        return manifest

    def _close_store(self) -> None:
        store, self._store = self._store, None
        if store is not None:
            close = getattr(store, "close", None)
            if close is not None:
                close()
            give_back_spelling(self._spelling)
