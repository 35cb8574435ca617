"""Everything that changes a collection goes through here: one writer at a time, in steps that survive a kill."""

import contextlib
import logging
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from haystack import Document

from khub.components.catalog.catalog import Catalog
from khub.components.catalog.chunks import NewDocument
from khub.components.catalog.collection_binding import CollectionBinding
from khub.components.catalog.held_file import HELD_FILE
from khub.components.catalog.passage import changed
from khub.components.disk_full import is_disk_full, told_when_full
from khub.components.errors import KhubError
from khub.components.stores.binding import check_binding
from khub.components.stores.collection_indexes import CollectionIndexes
from khub.components.stores.follow_catalog import catch_up
from khub.components.stores.heirs import heirs
from khub.components.stores.index_paths import remove_generations, sparse_root
from khub.components.stores.rebuild_index import rebuild_index, try_store
from khub.components.stores.repair_indexes import needs_repair, repair_indexes
from khub.components.stores.store_template import StoreTemplate
from khub.components.stores.sweep import drop_left_in_reach, sweep

logger = logging.getLogger(__name__)


class IndexWriter:
    """Writes, deletes and repairs one collection.

    Order of a batch: chunks and vectors go into the catalog unseen (`stage`); then, under the exclusive lock and with
    the `dirty` mark set, into both indexes; then one transaction makes them visible (`publish`); then the mark is
    cleared, and what they replaced leaves the indexes. A kill at any point leaves the old or the new version visible,
    and marks in the catalog by which the next writer repairs the rest.

    Use it within `writing()`.

    :param catalog: the hub's catalog.
    :param collection: name of a collection that exists.
    :param template: the store template of `binding`.
    :param binding: what the caller takes the collection to be bound to; a collection that is new is bound to it.
    :ivar indexes: what is written.
    """

    def __init__(self, catalog: Catalog, collection: str, template: StoreTemplate, binding: CollectionBinding) -> None:
        self._catalog = catalog
        self._collection = collection
        self._binding = binding
        self.indexes = CollectionIndexes(catalog, collection, template, binding["embedder"]["fingerprint"])

    @contextlib.contextmanager
    def writing(self, repair: bool = True, moving: bool = False) -> Iterator["IndexWriter"]:
        """Hold the writer's lock; what a killed writer left is repaired first.

        :param moving: the collection is about to be bound anew; do not compare what it is bound to.
        :raises BindingError: if the collection is bound to something else, also if it became so just now.
        :raises CollectionError: if the collection was deleted meanwhile.
        """
        with told_when_full(self._catalog.home), self.indexes.locks.writer():
            try:
                self.indexes.state()  # it may have been deleted while we waited
                bound = self._catalog.collections.bind(self._collection, self._binding)
                if not moving:
                    check_binding(self._collection, bound, self._binding)
                sweep(self.indexes)
                if self._catalog.database.shared and bound == self._binding:
                    catch_up(self.indexes)
                if repair and self.needs_repair():
                    self.repair()
                yield self
            finally:
                self.indexes.close()
            if self._catalog.database.shared:
                self._catalog.changes.prune(self._collection)

    def write(self, documents: Iterable[NewDocument]) -> None:
        """Write documents and make them visible one by one; a large one is written in slices and seen at its end."""
        waiting: list[Document] = []
        complete: list[NewDocument] = []
        for new in documents:
            if heirs(self._catalog, [new.doc_id], new):
                # what waits may be about to drop a duplicate that would inherit
                if complete:
                    self._apply(waiting, complete)
                    waiting, complete = [], []
                self._promote(heirs(self._catalog, [new.doc_id], new))
            staged, size = self._stage(new), self.indexes.SLICE
            for start in range(0, len(staged), size):
                waiting += staged[start : start + size]
                if len(waiting) >= size and start + size < len(staged):
                    self._apply(waiting, complete)
                    waiting, complete = [], []
            complete.append(new)
            if len(waiting) >= size:
                self._apply(waiting, complete)
                waiting, complete = [], []
        if waiting or complete:
            self._apply(waiting, complete)

    def delete(self, doc_ids: Sequence[str]) -> None:
        """Take documents out of sight at once, and then out of both indexes.

        That needs room: on a full disk it is left to the next writer, as if this one had been killed.
        """
        if doc_ids:
            whole = not self.needs_repair()
            if inheriting := heirs(self._catalog, doc_ids):
                if not whole:
                    self.repair()
                    whole = True
                self._promote(inheriting)
            hashes = self._catalog.chunks.withdraw(self._collection, doc_ids)
            self._catalog.database.forget_copies()
            with self._rest_waits_for_room():
                self._drop_unused(hashes)
                if whole:
                    self._purge()
                    self.indexes.reached()
                else:
                    self.repair()

    def needs_repair(self) -> bool:
        """Say whether a writer died in this collection, or an index was found damaged. Ask with the lock held."""
        return needs_repair(self.indexes)

    def repair(self, legs: Sequence[str] = ()) -> list[str]:
        """Make both indexes equal to the catalog again; return what was done, a line each.

        :param legs: legs (`dense`, `sparse`) to rebuild although they look whole.
        """
        return repair_indexes(self.indexes, legs)

    def rebuild(self, leg: str) -> str:
        """Build a leg (`dense`, `sparse`) from the catalog anew; return what was done."""
        return rebuild_index(self.indexes, leg)

    def try_store(self) -> None:
        """Begin an index in the writer's store, and delete it again.

        :raises StoreError: if the store cannot be used.
        """
        try_store(self.indexes)

    def move(self, on_written: Callable[[int], None] = lambda _: None) -> None:
        """Build both legs under the writer's own binding, and bind the collection to it.

        :param on_written: called with the number of vectors in the new dense index, after every few.
        """
        removals = self._catalog.chunks.removals(self._collection)
        if self.indexes.has_sparse:
            self.rebuild("sparse")
        try:
            rebuild_index(self.indexes, "dense", self._binding, on_written)
        except Exception:
            self.indexes.close()
            drop_left_in_reach(self.indexes)  # what was begun takes room
            raise
        # not before: the marks name what the old indexes hold too much, should this writer die
        self.indexes.settle(removals)

    def remove_collection(self) -> None:
        """Forget the collection and delete its indexes; one that cannot be reached now is left to the doctor."""
        self._remove()
        self._catalog.database.forget_copies()

    def _remove(self) -> None:
        indexes, home = self.indexes, self._catalog.home
        indexes.close()
        with indexes.locks.index_exclusive():
            hashes = self._catalog.collections.remove(self._collection)
            remove_generations([sparse_root(home), *indexes.template.roots(home)], indexes.slug)
        drop_left_in_reach(indexes)
        self._drop_unused(hashes)

    def take_back(self) -> None:
        """Forget a collection that is new and whose store cannot be used, as far as that goes."""
        with contextlib.suppress(KhubError):
            self._remove()
            for index in self._catalog.left_indexes.all(self.indexes.slug):  # there never was one, as far as is known
                self._catalog.left_indexes.forget(index.physical)

    def _stage(self, new: NewDocument) -> list[Document]:
        """Write a document into the catalog, unseen; return the chunks that the indexes do not hold as they are."""
        before, about = self._catalog.chunks.text_hashes(new.doc_id), new.meta
        self._catalog.chunks.stage(new, self.indexes.fingerprint)
        self._catalog.images.stage(new.doc_id, new.pictures)
        if new.keep_original:
            self._catalog.originals.stage(
                new.doc_id, about["source"], about["sha256"], about.get("size"), about.get(HELD_FILE)
            )
        return [chunk for chunk in new.indexed if before.get(chunk.id) != chunk.meta["text_hash"]]

    def _apply(self, chunks: list[Document], publish: list[NewDocument]) -> None:
        with self.indexes.changing(chunks):
            for new in publish:
                self._catalog.chunks.publish(new)
        superseded = self._catalog.chunks.forget_superseded([new.doc_id for new in publish])
        self._drop_unused(superseded)
        self._purge()
        self.indexes.reached()

    def _promote(self, heirs_of: Mapping[str, str]) -> None:
        """Put duplicates into both indexes, in the place of stored chunks that are about to go.

        Between this and their going both are stored, which is right too.
        """
        pairs = list(heirs_of.items())
        for start in range(0, len(pairs), self.indexes.SLICE):
            part = dict(pairs[start : start + self.indexes.SLICE])
            chunks = self._catalog.duplicates.read(list(part.values()))
            vectors = self.indexes.vectors_of(list(part))
            with self.indexes.changing([changed(chunks[heir], embedding=vectors[key]) for key, heir in part.items()]):
                self._catalog.duplicates.promote(self._collection, part)

    @contextlib.contextmanager
    def _rest_waits_for_room(self) -> Iterator[None]:
        try:
            yield
        except BaseException as error:
            if not is_disk_full(error):
                raise
            self.indexes.close()
            sweep(self.indexes)  # what was begun of a new index takes room
            logger.warning("collection %s: its indexes are brought up to date when there is room", self._collection)

    def _drop_unused(self, hashes: Sequence[str]) -> None:
        """Delete what no document refers to any more: vectors of these texts, pictures, copies of files."""
        self._catalog.images.drop_unused()  # files first: that makes room for the rest
        self._catalog.originals.drop_unused()
        self._catalog.vectors.drop_unused(hashes)

    def _purge(self) -> None:
        """Take invisible chunks out of both indexes, slice by slice, so that nobody waits long for the lock."""
        while removals := self._catalog.chunks.removals(self._collection, self.indexes.SLICE):
            with self.indexes.changing():
                self.indexes.write_sparse([], removals)
                self.indexes.delete_dense(removals)
                self._catalog.chunks.forget_removals(self._collection, removals)
