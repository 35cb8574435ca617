"""Make the indexes of a collection equal to its catalog again, after a writer was killed or files were damaged."""

import logging
from collections.abc import Sequence

from khub.components.disk_full import is_disk_full
from khub.components.errors import StoreError
from khub.components.stores.collection_indexes import CollectionIndexes
from khub.components.stores.index_entries import sparse_entry
from khub.components.stores.rebuild_index import entries_of, rebuild_index, try_store

logger = logging.getLogger(__name__)


def needs_repair(indexes: CollectionIndexes) -> bool:
    """Say whether a writer died in a collection, or an index was found damaged. Ask with the writer's lock held."""
    state, chunks = indexes.state(), indexes.catalog.chunks
    left_behind = chunks.has_unpublished(indexes.collection) or chunks.removals(indexes.collection, 1)
    return state.dirty or bool(state.damaged) or bool(left_behind)


def repair_indexes(indexes: CollectionIndexes, legs: Sequence[str] = ()) -> list[str]:
    """Make both indexes equal to the catalog again; return what was done, a line each.

    :param legs: legs (`dense`, `sparse`) to rebuild although they look whole.
    """
    catalog, collection, state = indexes.catalog, indexes.collection, indexes.state()
    # a server keeps what it has taken; a killed writer can tear files alone
    torn = state.dirty and bool(indexes.template.roots(catalog.home))
    lost = {*legs, *state.damaged, *(["dense"] if torn else [])}
    if lost and not indexes.has_sparse:
        lost = {"dense"}
    if "dense" not in lost:
        indexes.dense()
    elif not state.dirty:
        try_store(indexes)  # what a store that is down holds is not lost
    # until the end of the repair nobody may take the indexes for whole
    catalog.index_states.mark_dirty(collection)
    unpublished = catalog.chunks.unpublished(collection)
    retitled = {chunk_id for chunk_id, held in unpublished if held}
    removals = catalog.chunks.removals(collection)
    leftovers = sorted({*(chunk_id for chunk_id, _ in unpublished), *removals} - retitled)
    done = []
    if indexes.has_sparse:
        done.append(rebuild_index(indexes, "sparse") if "sparse" in lost else _reconcile_sparse(indexes, retitled))
    if "dense" in lost:
        done.append(rebuild_index(indexes, "dense"))
    elif leftovers or retitled:
        with indexes.locks.index_exclusive():
            indexes.delete_dense(leftovers)
            held = [chunk.id for chunk in catalog.chunks.indexed_among(sorted(retitled))]
            indexes.write_dense(entries_of(indexes, indexes.vectors_of(held)))
    indexes.settle(leftovers)
    done = [line for line in done if line]
    logger.warning("collection %s repaired: %s", collection, ", ".join(done) or "leftovers removed")
    return done


def _reconcile_sparse(indexes: CollectionIndexes, retitled: set[str]) -> str:
    chunks, sparse = indexes.catalog.chunks, indexes.sparse()
    try:
        stored = sparse.ids() if sparse.folder.is_dir() else set()
    except StoreError:
        return rebuild_index(indexes, "sparse")
    wanted = chunks.indexed_ids(indexes.collection)
    missing, extra = (wanted - stored) | (retitled & wanted), sorted(stored - wanted)
    if not missing and not extra:
        return ""
    lacking = chunks.indexed(indexes.collection) if missing else ()
    entries = [sparse_entry(chunk) for chunk in lacking if chunk.id in missing]
    try:
        with indexes.locks.index_exclusive():
            indexes.write_sparse(entries, extra)
    except StoreError as error:
        if is_disk_full(error):
            raise
        return rebuild_index(indexes, "sparse")  # a commit that found no room leaves a file that no later one gets past
    return f"keyword index: {len(missing)} chunks added, {len(extra)} removed"
