"""Everything that changes a collection goes through here: one writer at a time, in steps that survive a kill."""

import contextlib
import logging
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from haystack import Document
from haystack.document_stores.types import DuplicatePolicy

from khub.components.catalog.catalog import Catalog
from khub.components.catalog.chunks import ALL, LOOKUP_SIZE, NewDocument
from khub.components.catalog.collection_binding import CollectionBinding, holds_words
from khub.components.catalog.held_file import HELD_FILE
from khub.components.catalog.left_indexes import LeftIndex
from khub.components.disk_full import is_disk_full, told_when_full
from khub.components.errors import IndexDamagedError, KhubError, StoreError
from khub.components.private_files import private_folder
from khub.components.stores.bare_document import bare_document
from khub.components.stores.binding import check_binding
from khub.components.stores.collection_lock import locks_of
from khub.components.stores.drop_index import drop_left
from khub.components.stores.heirs import heirs
from khub.components.stores.index_paths import remove_generations, sparse_folder, sparse_root
from khub.components.stores.manifest import Manifest, describe
from khub.components.stores.sparse_index import SparseIndex, language_mark
from khub.components.stores.spellings import give_back_spelling, take_spelling
from khub.components.stores.store_failure import told_by_store
from khub.components.stores.store_protocol import BulkLoading, FileBacked, close_store
from khub.components.stores.store_template import StoreTemplate
from khub.components.text.chunk_text import indexed_text
from khub.components.text.symbols import index_terms

logger = logging.getLogger(__name__)

FOLLOWED_AT_ONCE = 500
SLICE = 1000  # chunks written under one hold of the index lock: about half a second


class IndexWriter:
    """Writes, deletes and repairs one collection.

    Order of a batch: chunks and vectors go into the catalog unseen (`stage`); then, under the exclusive lock and with
    the `dirty` mark set, into both indexes; then one transaction makes them visible (`publish`); then the mark is
    cleared, and what they replaced leaves the indexes. A kill at any point leaves the old or the new version visible,
    and marks in the catalog by which the next writer repairs the rest.

    Where the template has the words in the store, too, that is the only index, the dense one: there is no keyword index
    beside it, and nothing here for other machines' writes to be followed by.

    Use it within `writing()`.

    :param catalog: the hub's catalog.
    :param collection: name of a collection that exists.
    :param template: the store template of `binding`.
    :param binding: what the caller takes the collection to be bound to; a collection that is new is bound to it.
    """

    def __init__(self, catalog: Catalog, collection: str, template: StoreTemplate, binding: CollectionBinding) -> None:
        self._catalog = catalog
        self._collection = collection
        self._template = template
        self._binding = binding
        self._fingerprint: str = binding["embedder"]["fingerprint"]
        self._slug = catalog.index_states.state(collection).slug
        self._locks = locks_of(catalog, self._slug)
        self._in_engine = template.keywords is not None
        self._store: Any = None
        self._opened_as = ("", 0)

    @contextlib.contextmanager
    def writing(self, repair: bool = True, moving: bool = False) -> Iterator["IndexWriter"]:
        """Hold the writer's lock; what a killed writer left is repaired first.

        :param moving: the collection is about to be bound anew; do not compare what it is bound to.
        :raises BindingError: if the collection is bound to something else, also if it became so just now.
        :raises CollectionError: if the collection was deleted meanwhile.
        """
        with told_when_full(self._catalog.home), self._locks.writer():
            try:
                self._catalog.index_states.state(self._collection)  # it may have been deleted while we waited
                bound = self._catalog.collections.bind(self._collection, self._binding)
                if not moving:
                    check_binding(self._collection, bound, self._binding)
                self._sweep()
                if self._catalog.database.shared and bound == self._binding:
                    self._follow()
                if repair and self.needs_repair():
                    self.repair()
                yield self
            finally:
                self._close_store()
            if self._catalog.database.shared:
                self._catalog.changes.prune(self._collection)

    def follow(self) -> None:
        """Let the indexes of this machine hold what the catalog says, where other machines write it.

        :raises LockHeldError: if a writer of this machine, which does that itself, is at work.
        """
        with told_when_full(self._catalog.home), self._locks.try_here():
            try:
                self._remove_old_generations()
                self._follow()
            finally:
                self._close_store()

    def needs_repair(self) -> bool:
        """Say whether a writer died in this collection, or an index was found damaged. Ask with the lock held."""
        state = self._catalog.index_states.state(self._collection)
        left_behind = self._catalog.chunks.has_unpublished(self._collection) or self._removals(1)
        return state.dirty or bool(state.damaged) or bool(left_behind)

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
            before = self._catalog.chunks.text_hashes(new.doc_id)
            self._catalog.chunks.stage(new, self._fingerprint)
            self._catalog.images.stage(new.doc_id, new.pictures)
            if new.keep_original:
                about = new.meta
                self._catalog.originals.stage(
                    new.doc_id, about["source"], about["sha256"], about.get("size"), about.get(HELD_FILE)
                )
            changed = [c for c in new.indexed if before.get(c.id) != c.meta["text_hash"]]
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
                    self._reached()
                else:
                    self.repair()

    def repair(self, legs: Sequence[str] = ()) -> list[str]:
        """Make both indexes equal to the catalog again; return what was done, a line each.

        :param legs: legs (`dense`, `sparse`) to rebuild although they look whole.
        """
        state = self._catalog.index_states.state(self._collection)
        lost = {*legs, *state.damaged, *(["dense"] if state.dirty else [])}
        if self._in_engine and lost:
            lost = {"dense"}
        if "dense" not in lost:
            self._dense()
        elif not state.dirty:
            self.try_store()  # what a store that is down holds is not lost
        # until the end of the repair nobody may take the indexes for whole
        self._catalog.index_states.mark_dirty(self._collection)
        unpublished = self._catalog.chunks.unpublished(self._collection)
        retitled = {chunk_id for chunk_id, held in unpublished if held}
        leftovers = sorted({*(chunk_id for chunk_id, _ in unpublished), *self._removals()} - retitled)
        done = [] if self._in_engine else [self._repair_sparse("sparse" in lost, retitled)]
        if "dense" in lost or retitled:
            done.append(self.rebuild("dense"))
        elif leftovers:
            with self._locks.index_exclusive():
                self._delete_dense(leftovers)
        self._catalog.vectors.drop_unused(self._catalog.chunks.forget_leftovers(self._collection))
        self._catalog.chunks.forget_removals(self._collection, leftovers)
        with self._locks.index_exclusive():
            self._catalog.index_states.mark_clean(self._collection, self._manifest())
        self._reached()
        done = [line for line in done if line]
        logger.warning("collection %s repaired: %s", self._collection, ", ".join(done) or "leftovers removed")
        return done

    def rebuild(
        self, leg: str, binding: CollectionBinding | None = None, on_written: Callable[[int], None] = lambda _: None
    ) -> str:
        """Build a leg (`dense`, `sparse`) from the catalog as a new physical index, and switch all readers to it.

        The old index stays until the next writer comes, for the queries that are under way in it.

        :param binding: what the collection is bound to from then on, if that changes.
        :param on_written: called with the number of vectors in the new dense index, after every few.
        """
        generation = self._catalog.index_states.next_generation()
        physical = f"{self._slug}_g{generation}"
        if leg == "dense":
            self._close_store()
            self._catalog.left_indexes.add(LeftIndex(physical, self._slug, self._template.to_dict()))
            self._open_store(physical)
            with self._store.loading() if isinstance(self._store, BulkLoading) else contextlib.nullcontext():
                self._fill_dense(on_written)
            manifest = self._manifest()
        else:
            folder = sparse_folder(self._catalog.home, physical)
            self._fill_sparse(folder)
            sparse = describe(folder, SparseIndex(folder).index_files(), {})
            manifest = {**self._catalog.index_states.manifest(self._collection), "sparse": sparse}
        with self._locks.index_exclusive():
            self._catalog.index_states.start_generation(self._collection, leg, generation, manifest, binding)
            if self._in_engine:  # a keyword index of before is none any more
                self._catalog.index_states.start_generation(self._collection, "sparse", generation, manifest)
        return f"{'dense' if leg == 'dense' else 'keyword'} index rebuilt"

    def move(self, on_written: Callable[[int], None] = lambda _: None) -> None:
        """Build both legs under the writer's own binding, and bind the collection to it.

        :param on_written: as for `rebuild`.
        """
        removals = self._removals()
        if not self._in_engine:
            self.rebuild("sparse")
        try:
            self.rebuild("dense", self._binding, on_written)
        except Exception:
            self._close_store()
            self._drop_left()  # what was begun takes room
            raise
        # not before: they name what the old indexes hold too much, should this writer die
        self._catalog.vectors.drop_unused(self._catalog.chunks.forget_leftovers(self._collection))
        self._catalog.chunks.forget_removals(self._collection, removals)
        with self._locks.index_exclusive():
            self._catalog.index_states.mark_clean(self._collection, self._manifest())
        self._reached()

    def try_store(self) -> None:
        """Begin an index in the writer's store, and delete it again.

        :raises StoreError: if the store cannot be used.
        """
        physical = f"{self._slug}_g{self._catalog.index_states.next_generation()}"
        self._catalog.left_indexes.add(LeftIndex(physical, self._slug, self._template.to_dict()))
        self._close_store()
        try:
            self._open_store(physical)
        except StoreError:
            self._catalog.left_indexes.forget(physical)
            raise
        finally:
            self._close_store()
            self._drop_left()

    def remove_collection(self) -> None:
        """Forget the collection and delete its indexes; one that cannot be reached now is left to the doctor."""
        self._remove()
        self._catalog.database.forget_copies()

    def _remove(self) -> None:
        self._close_store()
        with self._locks.index_exclusive():
            hashes = self._catalog.collections.remove(self._collection)
            home = self._catalog.home
            remove_generations([sparse_root(home), *self._template.roots(home)], self._slug)
        self._drop_left()
        self._drop_unused(hashes)

    def take_back(self) -> None:
        """Forget a collection that is new and whose store cannot be used, as far as that goes."""
        with contextlib.suppress(KhubError):
            self._remove()
            for index in self._catalog.left_indexes.all(self._slug):  # there never was one, as far as is known
                self._catalog.left_indexes.forget(index.physical)

    def _apply(self, chunks: list[Document], publish: list[NewDocument]) -> None:
        bare = [bare_document(chunk.id, chunk.embedding, chunk if self._in_engine else None) for chunk in chunks]
        writing = self._writing_sparse(chunks)
        with self._index_change():
            if chunks:
                with writing():
                    self._write_dense(bare)
            for new in publish:
                self._catalog.chunks.publish(new)
        superseded = self._catalog.chunks.forget_superseded([new.doc_id for new in publish])
        self._drop_unused(superseded)
        self._purge()
        self._reached()

    def _promote(self, heirs_of: Mapping[str, str]) -> None:
        """Put duplicates into both indexes, in the place of stored chunks that are about to go.

        Between this and their going both are stored, which is right too.
        """
        pairs = list(heirs_of.items())
        for start in range(0, len(pairs), SLICE):
            part = dict(pairs[start : start + SLICE])
            chunks = self._catalog.duplicates.read(list(part.values()))
            vectors = self._catalog.vectors.of_chunks(self._collection, list(part), self._fingerprint)
            if missing := part.keys() - vectors.keys():
                raise self._no_vector(min(missing))
            words = chunks if self._in_engine else {}
            bare = [bare_document(heir, vectors[stored].tolist(), words.get(heir)) for stored, heir in part.items()]
            writing = self._writing_sparse(chunks.values())
            with self._index_change():
                with writing():
                    self._write_dense(bare)
                self._catalog.duplicates.promote(self._collection, part)

    @contextlib.contextmanager
    def _rest_waits_for_room(self) -> Iterator[None]:
        try:
            yield
        except BaseException as error:
            if not is_disk_full(error):
                raise
            self._close_store()
            self._sweep()  # what was begun of a new index takes room
            logger.warning("collection %s: its indexes are brought up to date when there is room", self._collection)

    def _drop_unused(self, hashes: Sequence[str]) -> None:
        """Delete what no document refers to any more: vectors of these texts, pictures, copies of files."""
        self._catalog.images.drop_unused()  # files first: that makes room for the rest
        self._catalog.originals.drop_unused()
        self._catalog.vectors.drop_unused(hashes)

    def _purge(self) -> None:
        """Take invisible chunks out of both indexes, slice by slice, so that nobody waits long for the lock."""
        while removals := self._removals(SLICE):
            with self._index_change():
                if not self._in_engine:
                    self._sparse().write([], removals)
                self._delete_dense(removals)
                self._catalog.chunks.forget_removals(self._collection, removals)

    @contextlib.contextmanager
    def _index_change(self) -> Iterator[None]:
        with self._locks.index_exclusive():
            self._dense()  # a store that is down, or that another process has, makes no index dirty
            self._catalog.index_states.mark_dirty(self._collection)
            yield
            self._catalog.index_states.mark_clean(self._collection, self._manifest())

    def _follow(self) -> None:
        """Look every chunk up again that commits since the last one here have changed; where that is unknown, all."""
        if self._in_engine and not self._is_local:
            return
        states, collection = self._catalog.index_states, self._collection
        state, last = states.state(collection), self._catalog.collections.commits(collection)
        changed = self._catalog.changes.since(collection, state.commits, last)
        if changed is None or state.dirty or state.damaged:
            if not self._in_engine:
                self.rebuild("sparse")
            if self._is_local:
                self.rebuild("dense")
            with self._locks.index_exclusive():
                states.mark_clean(collection, self._manifest())
        else:
            for start in range(0, len(changed), FOLLOWED_AT_ONCE):
                self._look_up(changed[start : start + FOLLOWED_AT_ONCE])
        if state.commits != last:
            states.followed(collection, last)

    def _look_up(self, chunk_ids: list[str]) -> None:
        chunks = self._catalog.chunks.indexed_among(chunk_ids)
        gone = sorted(set(chunk_ids) - {chunk.id for chunk in chunks})
        vectors = self._catalog.vectors.of_chunks(self._collection, [chunk.id for chunk in chunks], self._fingerprint)
        if missing := {chunk.id for chunk in chunks} - vectors.keys():
            raise self._no_vector(min(missing))
        with self._index_change():
            if not self._in_engine:
                self._sparse().write([_entry(chunk) for chunk in chunks], gone)
            if self._is_local:
                self._write_dense(self._bare({key: vector.tolist() for key, vector in vectors.items()}))
                self._delete_dense(gone)

    def _reached(self) -> None:
        """Say that the indexes here hold all that this writer has committed: nobody else can have."""
        self._catalog.index_states.followed(self._collection, self._catalog.collections.commits(self._collection))

    @property
    def _is_local(self) -> bool:
        return bool(self._template.roots(self._catalog.home))

    def _removals(self, limit: int = ALL) -> list[str]:
        return self._catalog.chunks.removals(self._collection, limit)

    def _sweep(self) -> None:
        self._remove_old_generations()
        self._drop_left()

    def _remove_old_generations(self) -> None:
        state, home = self._catalog.index_states.state(self._collection), self._catalog.home
        words_elsewhere = holds_words(self._catalog.collections.binding(self._collection)["store"])
        remove_generations([sparse_root(home)], self._slug, "" if words_elsewhere else state.physical("sparse"))
        remove_generations(self._template.roots(home), self._slug, state.physical("dense"))

    def _drop_left(self) -> None:
        """Delete the indexes that were left in this writer's store and in folders; other stores may not answer."""
        for index in self._catalog.left_indexes.all(self._slug):
            template = StoreTemplate(**index.store["init_parameters"])
            if template.key == self._template.key:
                template = self._template  # it may load its classes
            if template is self._template or template.roots(self._catalog.home):
                try:
                    drop_left(self._catalog, index, template)
                except StoreError as error:
                    logger.warning("index %s is still there: %s", index.physical, error)

    def _repair_sparse(self, lost: bool, retitled: set[str]) -> str:
        return self.rebuild("sparse") if lost else self._reconcile_sparse(retitled)

    def _reconcile_sparse(self, retitled: set[str]) -> str:
        try:
            stored = self._sparse().ids() if self._sparse().folder.is_dir() else set()
        except StoreError:
            return self.rebuild("sparse")
        wanted = self._catalog.chunks.indexed_ids(self._collection)
        missing, extra = (wanted - stored) | (retitled & wanted), sorted(stored - wanted)
        if not missing and not extra:
            return ""
        chunks = [d for d in self._catalog.chunks.indexed(self._collection) if d.id in missing] if missing else []
        tokens = [_entry(chunk) for chunk in chunks]
        try:
            with self._locks.index_exclusive():
                self._sparse().write(tokens, extra)
        except StoreError as error:
            if is_disk_full(error):
                raise
            return self.rebuild("sparse")  # a commit that found no room leaves a file that no later one gets past
        return f"keyword index: {len(missing)} chunks added, {len(extra)} removed"

    def _fill_dense(self, on_written: Callable[[int], None]) -> None:
        batch: dict[str, list[float]] = {}
        written = 0
        for chunk_id, vector in self._catalog.vectors.of_collection(self._collection, self._fingerprint):
            if vector is None:
                raise self._no_vector(chunk_id)
            batch[chunk_id] = vector.tolist()
            if len(batch) == SLICE:
                self._write_dense(self._bare(batch))
                written += len(batch)
                on_written(written)
                batch = {}
        if batch:
            self._write_dense(self._bare(batch))
            on_written(written + len(batch))

    def _bare(self, vectors: Mapping[str, list[float]]) -> list[Document]:
        keys, chunks = list(vectors), dict[str, Document]()
        if self._in_engine:
            for start in range(0, len(keys), LOOKUP_SIZE):
                read = self._catalog.chunks.indexed_among(keys[start : start + LOOKUP_SIZE])
                chunks |= {chunk.id: chunk for chunk in read}
        return [bare_document(key, vectors[key], chunks.get(key)) for key in keys]

    def _fill_sparse(self, folder: Path) -> None:
        index = SparseIndex(folder)
        index.write(map(_entry, self._catalog.chunks.indexed(self._collection)))

    def _no_vector(self, chunk_id: str) -> StoreError:
        return IndexDamagedError(
            f"chunk {chunk_id} of collection {self._collection!r} has no vector",
            f"embed the collection again: khub reindex --collection {self._collection}",
        )

    def _writing_sparse(self, chunks: Iterable[Document]) -> Callable[[], contextlib.AbstractContextManager[None]]:
        """Return what writes chunks into the keyword index beside a block, if there is one; their terms are cut now."""
        if self._in_engine:
            return contextlib.nullcontext
        tokens = [_entry(chunk) for chunk in chunks]
        return lambda: self._sparse().writing(tokens)

    def _sparse(self) -> SparseIndex:
        state = self._catalog.index_states.state(self._collection)
        return SparseIndex(sparse_folder(self._catalog.home, state.physical("sparse")))

    def _dense(self) -> Any:
        if self._store is None:
            self._open_store(self._catalog.index_states.state(self._collection).physical("dense"))
        return self._store

    def _write_dense(self, documents: list[Document]) -> None:
        with told_by_store(self._template):
            self._dense().write_documents(documents, policy=DuplicatePolicy.OVERWRITE)

    def _delete_dense(self, ids: list[str]) -> None:
        with told_by_store(self._template):
            self._dense().delete_documents(ids)

    def _open_store(self, physical: str) -> None:
        spelling = take_spelling(physical)
        try:
            for folder in self._template.parents(physical, self._catalog.home):
                private_folder(folder)
            with told_by_store(self._template):
                store = self._template.build(physical, self._catalog.home, spelling)[0]
                store.count_documents()  # connects, and makes an index that is new
            self._store = store
        except BaseException:
            give_back_spelling(physical, spelling)
            raise
        self._opened_as = (physical, spelling)

    def _manifest(self) -> dict[str, Manifest]:
        before = self._catalog.index_states.manifest(self._collection)
        sparse = self._sparse()
        manifest = {}
        if sparse.folder.is_dir() and not self._in_engine:
            manifest["sparse"] = describe(sparse.folder, sparse.index_files(), before.get("sparse", {}))
        store = self._dense()
        if isinstance(store, FileBacked) and store.folder is not None:
            manifest["dense"] = describe(store.folder, store.index_files(), before.get("dense", {}))
        return manifest

    def _close_store(self) -> None:
        store, self._store = self._store, None
        if store is not None:
            close_store(store)
            give_back_spelling(*self._opened_as)


def _entry(chunk: Document) -> tuple[str, list[str]]:
    """Return what the keyword index holds of a chunk."""
    return chunk.id, [language_mark(chunk.meta.get("language") or "und"), *index_terms(indexed_text(chunk))]
