"""Let the indexes of this machine hold what the catalog says, where other machines write it, too."""

from khub.components.catalog.passage import changed
from khub.components.disk_full import told_when_full
from khub.components.stores.collection_indexes import CollectionIndexes
from khub.components.stores.index_entries import sparse_entry
from khub.components.stores.rebuild_index import rebuild_index
from khub.components.stores.sweep import remove_old_generations

FOLLOWED_AT_ONCE = 500


def follow_catalog(indexes: CollectionIndexes) -> None:
    """Let the indexes follow, and close them.

    :raises LockHeldError: if a writer of this machine, which does that itself, is at work.
    """
    with told_when_full(indexes.catalog.home), indexes.locks.try_here():
        try:
            remove_old_generations(indexes)
            catch_up(indexes)
        finally:
            indexes.close()


def catch_up(indexes: CollectionIndexes) -> None:
    """Look every chunk up again that commits since the last one here have changed; where that is unknown, all.

    Of an index in a server that holds the words, too, nothing lies here. Call it with one of the writer's locks held.
    """
    if not indexes.has_sparse and not indexes.is_local:
        return
    catalog, collection, state = indexes.catalog, indexes.collection, indexes.state()
    last = catalog.collections.commits(collection)
    touched = catalog.changes.since(collection, state.commits, last)
    if touched is None or state.dirty or state.damaged:
        if indexes.has_sparse:
            rebuild_index(indexes, "sparse")
        if indexes.is_local:
            rebuild_index(indexes, "dense")
        indexes.mark_whole()
    else:
        for start in range(0, len(touched), FOLLOWED_AT_ONCE):
            _look_up(indexes, touched[start : start + FOLLOWED_AT_ONCE])
    if state.commits != last:
        catalog.index_states.followed(collection, last)


def _look_up(indexes: CollectionIndexes, chunk_ids: list[str]) -> None:
    there = {chunk.id: chunk for chunk in indexes.catalog.chunks.indexed_among(chunk_ids)}
    gone = sorted(set(chunk_ids) - there.keys())
    vectors = indexes.vectors_of(list(there))
    chunks = [changed(chunk, embedding=vectors[key]) for key, chunk in there.items()]
    with indexes.changing():
        indexes.write_sparse(map(sparse_entry, chunks), gone)
        if indexes.is_local:
            indexes.write_dense(indexes.bare(chunks))
            indexes.delete_dense(gone)
