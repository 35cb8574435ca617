"""Build a new physical index from what the catalog holds."""

import contextlib
import itertools
from collections.abc import Callable, Mapping

from haystack import Document

from khub.components.catalog.collection_binding import CollectionBinding
from khub.components.errors import StoreError
from khub.components.stores.collection_indexes import CollectionIndexes
from khub.components.stores.index_entries import bare_document, sparse_entry
from khub.components.stores.index_paths import sparse_folder
from khub.components.stores.manifest import Manifest, describe
from khub.components.stores.sparse_index import SparseIndex
from khub.components.stores.store_protocol import BulkLoading
from khub.components.stores.sweep import drop_left_in_reach


def rebuild_index(
    indexes: CollectionIndexes,
    leg: str,
    binding: CollectionBinding | None = None,
    on_written: Callable[[int], None] = lambda _: None,
) -> str:
    """Build a leg (`dense`, `sparse`) anew, and switch all readers to it; return what was done.

    The old index stays until the next writer comes, for the queries that are under way in it.

    :param binding: what the collection is bound to from then on, if that changes.
    :param on_written: called with the number of vectors in the new dense index, after every few.
    """
    states, collection = indexes.catalog.index_states, indexes.collection
    generation = states.next_generation()
    physical = f"{indexes.slug}_g{generation}"
    if leg == "dense":
        indexes.begin_dense(physical)
        store = indexes.dense()
        with store.loading() if isinstance(store, BulkLoading) else contextlib.nullcontext():
            _fill_dense(indexes, on_written)
        manifest = indexes.manifest()
    else:
        manifest = {**states.manifest(collection), "sparse": _new_sparse(indexes, physical)}
    with indexes.locks.index_exclusive():
        states.start_generation(collection, leg, generation, manifest, binding)
        if not indexes.has_sparse:  # a keyword index of before is none any more
            states.start_generation(collection, "sparse", generation, manifest)
    return f"{'dense' if leg == 'dense' else 'keyword'} index rebuilt"


def try_store(indexes: CollectionIndexes) -> None:
    """Begin a dense index, and delete it again.

    :raises StoreError: if the store cannot be used.
    """
    physical = f"{indexes.slug}_g{indexes.catalog.index_states.next_generation()}"
    try:
        indexes.begin_dense(physical)
    except StoreError:
        indexes.catalog.left_indexes.forget(physical)
        raise
    finally:
        indexes.close()
        drop_left_in_reach(indexes)


def _fill_dense(indexes: CollectionIndexes, on_written: Callable[[int], None]) -> None:
    vectors, written = indexes.vectors(), 0
    while batch := dict(itertools.islice(vectors, indexes.SLICE)):
        indexes.write_dense(entries_of(indexes, batch))
        written += len(batch)
        on_written(written)


def entries_of(indexes: CollectionIndexes, vectors: Mapping[str, list[float]]) -> list[Document]:
    """Return what the store is given of chunks that the catalog shows, by their ids and vectors."""
    chunks = () if indexes.has_sparse else indexes.catalog.chunks.indexed_among(list(vectors))
    words = {chunk.id: chunk for chunk in chunks}
    return [bare_document(key, vector, words.get(key)) for key, vector in vectors.items()]


def _new_sparse(indexes: CollectionIndexes, physical: str) -> Manifest:
    index = SparseIndex(sparse_folder(indexes.catalog.home, physical))
    index.write(map(sparse_entry, indexes.catalog.chunks.indexed(indexes.collection)))
    return describe(index.folder, index.index_files(), {})
