"""Delete documents and collections; make a collection's indexes anew."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import islice
from typing import Any

from haystack import Document

from components.catalog.catalog import Catalog, open_catalog
from components.embedders.cached_embedder import CachedEmbedder
from components.errors import CollectionError
from components.ingest.collection_writer import CollectionWriter
from components.retrievers.bound_retriever import bound_parts
from components.stores.index_paths import remove_old_generations
from components.stores.index_writer import IndexWriter
from server.graphs import load_graph
from server.ingest import binding_of

REEMBED_SIZE = 512


def writer_of(catalog: Catalog, collection: str) -> IndexWriter:
    """Return a writer for a collection as it is bound.

    :raises CollectionError: if the collection does not exist or was never filled.
    """
    catalog.collections.state(collection)
    binding = catalog.collections.binding(collection)
    if not binding:
        raise CollectionError(
            f"collection {collection!r} is empty", f"ingest: khub ingest PATH --collection {collection}"
        )
    return IndexWriter(catalog, collection, bound_parts(binding)[1], binding["embedder"]["fingerprint"])


def delete_document(name: str, collection: str | None = None) -> dict[str, Any]:
    """Delete a document by id, source or file name: text, vectors and index entries; return its row.

    :raises CollectionError: if there is no such document, or several could be meant.
    """
    catalog = open_catalog()
    in_collection = catalog.collections.resolve(collection)
    row = catalog.documents.find(in_collection, name)
    if row["chunks"]:
        with writer_of(catalog, in_collection).writing() as writer:
            writer.delete([row["doc_id"]])
    else:
        catalog.chunks.withdraw(in_collection, [row["doc_id"]])
    return row


def delete_collection(name: str) -> int:
    """Delete a collection with everything in it; return how many documents it had.

    :raises CollectionError: if there is no such collection.
    """
    catalog = open_catalog()
    state = catalog.collections.state(name)
    documents = catalog.documents.of_collection(name)
    if catalog.collections.binding(name):
        with writer_of(catalog, name).writing(repair=False) as writer:
            writer.clear()
            catalog.collections.remove(name)
            remove_old_generations(catalog.home, state.slug, 0, 0)
    else:
        catalog.collections.remove(name)
    return len(documents)


def reindex(
    collection: str | None = None,
    graph_name: str = "ingest",
    on_progress: Callable[[int, int], None] | None = None,
) -> dict[str, Any]:
    """Embed a collection anew with a graph's embedder, into its store, from the stored text; nothing is parsed again.

    The collection answers from its old indexes until the new ones are complete.

    :param graph_name: graph of kind `ingest` whose embedder and store the collection moves to.
    :param on_progress: called with (chunks done, chunks in all).
    :returns: `{collection, chunks, graph}`.
    """
    catalog = open_catalog()
    name = catalog.collections.resolve(collection)
    graph = load_graph(graph_name)
    wanted = binding_of(graph)
    parts = [instance for _, instance in graph.pipeline.walk()]
    embedder = next(part for part in parts if isinstance(part, CachedEmbedder))
    template = next(part for part in parts if isinstance(part, CollectionWriter)).template
    total, done = catalog.chunks.count(name), 0
    embedder.warm_up()
    writer = IndexWriter(catalog, name, template, wanted["embedder"]["fingerprint"])
    with writer.writing(repair=False):
        for batch in _batches(catalog.chunks.visible(name)):
            embedder.run([replace(chunk, embedding=None) for chunk in batch])
            done += len(batch)
            if on_progress is not None:
                on_progress(done, total)
        writer.move(wanted)
    catalog.vectors.drop_other(name, wanted["embedder"]["fingerprint"])
    return {"collection": name, "chunks": done, "graph": graph.name}


def _batches(chunks: Iterator[Document]) -> Iterator[list[Document]]:
    while batch := list(islice(chunks, REEMBED_SIZE)):
        yield batch
