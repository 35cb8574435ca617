"""Delete documents and collections; make a collection's indexes anew."""

import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import cast

from haystack import Document

from khub.components.catalog.access import require_collection
from khub.components.catalog.catalog import Catalog, open_catalog
from khub.components.catalog.kept_path import sources_of
from khub.components.catalog.partly_opened import closed_among, collection_is_opened
from khub.components.disk_full import DiskFullError
from khub.components.embedders.cached_embedder import CachedEmbedder
from khub.components.embedders.picture_embedder import PictureEmbedder
from khub.components.enrichers.cache import open_cache
from khub.components.errors import ClosedError, CollectionError
from khub.components.ingest.collection_writer import CollectionWriter
from khub.components.stores.bound_parts import bound_parts
from khub.components.stores.collection_lock import locks_of
from khub.components.stores.index_writer import IndexWriter
from khub.server.graphs.load import load_graph
from khub.server.library.downloads import downloads_of
from khub.server.library.enrichment import Enrichment
from khub.server.library.ingest import binding_of, ingest_graph
from khub.server.library.left_indexes import drop_left_indexes
from khub.server.library.reindex_result import ReindexResult
from khub.server.library.uploads import uploads_of

WHO_MAY = "ask somebody who may read all of it"
REEMBED_SIZE = 128
"""Chunks that are embedded at a time: so many at most are embedded twice where a reindex was stopped."""


@dataclass(frozen=True)
class Reindexed:
    """How far a reindex has come.

    :param kept: of the chunks done, those whose vector was there: an earlier call was stopped.
    :param pages: that the others are from, where documents have pages.
    :param written: of all chunks, those whose vector is in the new index; it is begun when all are done.
    """

    done: int
    total: int
    kept: int
    pages: int
    written: int = 0


def writer_of(catalog: Catalog, collection: str) -> IndexWriter:
    """Return a writer for a collection as it is bound.

    :raises CollectionError: if the collection does not exist or was never filled.
    """
    catalog.collections.slug(collection)
    binding = catalog.collections.binding(collection)
    if not binding:
        raise CollectionError(
            f"collection {collection!r} is empty",
            f"ingest: khub ingest PATH --collection {collection}",
            code="collection_empty",
        )
    return IndexWriter(catalog, collection, bound_parts(binding)[1], binding)


def create_collection(name: str, graph_name: str | None = None) -> bool:
    """Add an empty collection if it is new; return whether it was.

    :param graph_name: graph of kind `ingest` to whose embedder and store it is bound; None: its first ingest binds it.
    :raises CollectionError: if the name cannot be used.
    :raises GraphError: if the graph cannot be used.
    """
    binding = binding_of(ingest_graph(graph_name)) if graph_name is not None else None
    collections = open_catalog().collections
    new = collections.create(name)
    if new and binding is not None:
        collections.bind(name, binding)
    return new


def delete_documents(doc_ids: Sequence[str], collection: str) -> None:
    """Delete documents of one collection, mails with what is attached to them: text, vectors and index entries.

    :param collection: the name of one that exists, unless there is nothing to delete.
    :raises ClosedError: if one is closed to the caller, or a part of it; then none is deleted.
    """
    if not doc_ids:
        return
    require_collection(collection)
    catalog = open_catalog()
    if closed_among(catalog.database, doc_ids):
        raise ClosedError("parts of a document are closed to you, who may not delete it", WHO_MAY)
    attached = [row["doc_id"] for row in catalog.documents.parts_of(doc_ids)]
    doc_ids = list(dict.fromkeys([*doc_ids, *attached]))
    open_cache(catalog.home).forget(doc_ids)

    def delete() -> None:
        if not _while_unbound(catalog, collection, lambda: catalog.chunks.withdraw(collection, doc_ids)):
            with writer_of(catalog, collection).writing(repair=False) as writer:
                writer.delete(doc_ids)

    _with_room(catalog, doc_ids, delete)


def _with_room(catalog: Catalog, doc_ids: Sequence[str], delete: Callable[[], None]) -> None:
    """Delete documents also where the disk is full: that is writing, too, and their copies make room for it."""
    # a checkpoint comes last: where the file has to grow for it, it may take the room that the copies have left
    for make_room in (lambda: catalog.originals.give_up(doc_ids), catalog.database.checkpoint):
        try:
            delete()
        except DiskFullError:
            make_room()
        else:
            return
    delete()


def refuse_closed_collection(name: str) -> None:
    """Refuse what changes all documents of a collection, where not all of it is opened to the caller.

    :raises ClosedError: then.
    :raises CollectionError: if there is no such collection for the caller.
    """
    require_collection(name)
    if not collection_is_opened(open_catalog().database, name):
        raise ClosedError(f"parts of collection {name!r} are closed to you", WHO_MAY)


def delete_collection(name: str) -> int:
    """Delete a collection with everything in it; return how many documents it had.

    :raises CollectionError: if there is no such collection.
    :raises ClosedError: if parts of it are closed to the caller.
    """
    catalog = open_catalog()
    catalog.collections.slug(name)
    refuse_closed_collection(name)
    doc_ids = [row["doc_id"] for row in catalog.documents.of_collection(name)]
    open_cache(catalog.home).forget(doc_ids)

    def delete() -> None:
        if not _while_unbound(catalog, name, lambda: catalog.collections.remove(name)):
            with writer_of(catalog, name).writing(repair=False) as writer:
                writer.remove_collection()

    _with_room(catalog, doc_ids, delete)
    for state in catalog.source_states.all(name):
        catalog.source_states.forget(state.key)
    for kept in (downloads_of(name), uploads_of(name), sources_of(name)):
        shutil.rmtree(kept, ignore_errors=True)
    return len(doc_ids)


def _while_unbound(catalog: Catalog, collection: str, act: Callable[[], object]) -> bool:
    """Act on a collection in which nothing was ever indexed; return False, and do nothing, if it is bound."""
    if catalog.collections.binding(collection):
        return False
    with locks_of(catalog, catalog.collections.slug(collection)).writer():
        if catalog.collections.binding(collection):  # by an ingest for which we waited
            return False
        act()
        return True


def reindex(
    collection: str | None = None,
    graph_name: str | None = None,
    on_progress: Callable[[Reindexed], None] | None = None,
) -> ReindexResult:
    """Embed a collection anew with a graph's embedder, into its store, from the stored text; nothing is parsed again.

    The collection answers from its old indexes until the new ones are complete. Where an earlier call was stopped, this
    one goes on: the catalog has kept the vectors. Then the index of before is deleted from the store that it lies in.
    Where the graph embeds pictures, the stored ones are embedded, too.

    :param graph_name: graph of kind `ingest` whose embedder and store the collection moves to. Where one is named, the
        documents go through its enrichment stages, too, unless they have; without a name it is `ingest`.
    :param on_progress: called after every few chunks, and then again for those that go through the stages.
    :returns: `{collection, chunks, graph, left}`, where `left` says why indexes of before could not be deleted; and
        where a graph is named the fields of `Enriched`.
    :raises ClosedError: if parts of the collection are closed to the caller.
    :raises StoreError: if the new store cannot be used; before anything is embedded, if it is so from the beginning.
    """
    catalog = open_catalog()
    name = catalog.collections.resolve(collection)
    refuse_closed_collection(name)
    graph = load_graph(graph_name or "ingest")
    wanted = binding_of(graph)
    enrichment = Enrichment(name, graph) if graph_name else None
    tell = on_progress or (lambda _: None)
    parts = [instance for _, instance in graph.pipeline.walk()]
    embedder = next(part for part in parts if isinstance(part, CachedEmbedder))
    keeper = next(part for part in parts if isinstance(part, CollectionWriter))
    fingerprint = wanted["embedder"]["fingerprint"]
    total, done, kept = len(catalog.chunks.indexed_ids(name)), 0, 0
    pages: set[tuple[str, int]] = set()
    embedder.warm_up()
    writer = IndexWriter(catalog, name, keeper.template, wanted)
    with writer.writing(repair=False, moving=True):
        writer.try_store()
        catalog.duplicates.release_orphans(name)
        for batch in _batches(catalog.chunks.indexed(name)):
            known = catalog.vectors.get([chunk.meta["text_hash"] for chunk in batch], fingerprint)
            missing = [chunk for chunk in batch if chunk.meta["text_hash"] not in known]
            embedded = embedder.run([replace(chunk, embedding=None) for chunk in missing])["documents"]
            _keep_inherited(catalog, missing, embedded, fingerprint)
            keeper.renew_tokens(batch)
            done, kept = done + len(batch), kept + len(batch) - len(missing)
            pages.update(page for chunk in missing for page in _pages(chunk))
            tell(Reindexed(done, total, kept, len(pages)))
        _embed_pictures(catalog, name, next((part for part in parts if isinstance(part, PictureEmbedder)), None))
        writer.move(lambda written: tell(Reindexed(done, total, kept, len(pages), written)))
        catalog.vectors.drop_other(name, fingerprint)
        catalog.picture_vectors.drop_other(name, wanted.get("pictures", {}).get("fingerprint"))
        left = drop_left_indexes(catalog, catalog.collections.slug(name))
    result = ReindexResult(collection=name, chunks=done, graph=graph.name, left=left)
    if enrichment is None:
        return result
    return cast(ReindexResult, result | enrichment.run(lambda done, of: tell(Reindexed(done, of, 0, 0))))


def _embed_pictures(catalog: Catalog, collection: str, embedder: PictureEmbedder | None) -> None:
    """Give the stored pictures of a collection the vectors that they lack, where the graph embeds pictures."""
    if embedder is None:
        return
    fingerprint = embedder.binding()["fingerprint"]
    missing = catalog.picture_vectors.missing(collection, fingerprint)
    for start in range(0, len(missing), embedder.batch_size):
        paths = {digest: catalog.images.file(digest, m) for digest, m in missing[start : start + embedder.batch_size]}
        files = {digest: path.read_bytes() for digest, path in paths.items() if catalog.files.find(path)}
        embedder.keep(files, fingerprint)


def _keep_inherited(catalog: Catalog, chunks: Sequence[Document], embedded: Sequence[Document], embedder: str) -> None:
    """Keep the vector of a chunk that took another one's place under the key that it got then."""
    pairs = [(chunk.meta["text_hash"], new) for chunk, new in zip(chunks, embedded, strict=True)]
    inherited = [(key, new) for key, new in pairs if key != new.meta["text_hash"]]
    if inherited:
        catalog.vectors.put([(key, new.embedding or []) for key, new in inherited], embedder)
        catalog.vectors.drop_unused([new.meta["text_hash"] for _, new in inherited])


def _pages(chunk: Document) -> Iterator[tuple[str, int]]:
    first, last = chunk.meta["pages"] or (1, 0)
    return ((chunk.meta["doc_id"], page) for page in range(first, last + 1))


def _batches(chunks: Iterator[Document]) -> Iterator[list[Document]]:
    while batch := list(islice(chunks, REEMBED_SIZE)):
        yield batch
