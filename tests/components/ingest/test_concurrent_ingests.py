"""What other processes do between the embedding of a document and its writing, or while its writer waits."""

import threading

import pytest
from toy_embedders import ToyDocumentEmbedder

from khub.components.embedders.cached_embedder import CachedEmbedder
from khub.components.errors import BindingError
from khub.components.ingest.collection_writer import CollectionWriter
from khub.components.stores.bound_parts import bound_parts
from khub.components.stores.collection_lock import CollectionLocks
from khub.components.stores.consistency import examine
from khub.components.stores.index_writer import IndexWriter
from khub.components.text.tokenizer import TOKENIZER_VERSION
from tests.components.conftest import chunks_of

pytestmark = pytest.mark.integration


def embedded(library, source, texts, collection="books", embedder=None):
    library.catalog.collections.create(collection)
    return CachedEmbedder(embedder or ToyDocumentEmbedder()).run(chunks_of(source, texts, collection))


def write(library, batch, collection="books", template=None):
    CollectionWriter(template or library.chroma).run(**batch, collection=collection, sources=[])


def bound_writer(library, collection):
    binding = library.catalog.collections.binding(collection)
    return IndexWriter(library.catalog, collection, bound_parts(binding)[1], binding)


def mover(library, collection, embedder):
    """Return a writer, and what a reindex does while that holds the lock."""
    cached = CachedEmbedder(embedder)
    binding = {"store": library.chroma.to_dict(), "embedder": cached.binding(), "tokenizer": TOKENIZER_VERSION}
    writer = IndexWriter(library.catalog, collection, library.chroma, binding)

    def move():
        cached.run(list(library.catalog.chunks.visible(collection)))
        writer.move()
        library.catalog.vectors.drop_other(collection, binding["embedder"]["fingerprint"])

    return writer, move


@pytest.fixture
def lock_is_asked_for(monkeypatch):
    """An event: somebody waits for a writer's lock, or is about to."""
    asked, original = threading.Event(), CollectionLocks.writer

    def writer(self):
        asked.set()
        return original(self)

    monkeypatch.setattr(CollectionLocks, "writer", writer)
    return asked


def in_thread(work):
    errors = []

    def run():
        try:
            work()
        except BaseException as error:
            errors.append(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    return thread, errors


def delete_other_collection(library):
    with bound_writer(library, "other").writing() as writer:
        writer.remove_collection()


def delete_equal_text(library):
    (row,) = library.catalog.documents.of_collection("other")
    with bound_writer(library, "other").writing() as writer:
        writer.delete([row["doc_id"]])


def delete_unreferenced(library):
    assert library.catalog.vectors.drop_unreferenced() == 1


@pytest.mark.parametrize("meanwhile", [delete_other_collection, delete_equal_text, delete_unreferenced])
def test_vectors_of_an_ingest_under_way_survive(library, meanwhile):
    library.add("/base.md", ["plain words"])
    batch = embedded(library, "/birds.md", ["herons wade", "swifts sleep"])
    write(library, embedded(library, "/birds.md", ["swifts sleep"], "other"), "other")
    meanwhile(library)
    write(library, batch)
    fingerprint = batch["embedder"]["fingerprint"]
    ids = [document.id for document in batch["documents"]]
    assert library.catalog.vectors.of_chunks("books", ids, fingerprint).keys() == set(ids)
    library.catalog.index_states.mark_dirty("books")  # the next writer rebuilds from the catalog
    library.add("/later.md", ["other words"])
    assert examine(bound_writer(library, "books").indexes).problems == []


def test_ingest_that_waits_behind_a_reindex_to_another_embedder_is_refused(library, lock_is_asked_for):
    library.add("/base.md", ["plain words"])
    batch = embedded(library, "/late.md", ["late words"])
    writer, move = mover(library, "books", ToyDocumentEmbedder("other"))
    with writer.writing(moving=True):
        lock_is_asked_for.clear()
        thread, errors = in_thread(lambda: write(library, batch))
        assert lock_is_asked_for.wait(10)
        move()
    thread.join(20)
    assert [error.code for error in errors] == ["binding_embedder"]
    assert "Toy other" in errors[0].message
    assert [d.content for d in library.catalog.chunks.visible("books")] == ["plain words"]
    assert examine(bound_writer(library, "books").indexes).problems == []


def test_of_two_first_ingests_with_different_graphs_one_binds(library):
    batches = [embedded(library, f"/{m}.md", [f"{m} words"], "books", ToyDocumentEmbedder(m)) for m in ("one", "two")]
    started = threading.Barrier(2)

    def ingest(batch):
        started.wait(10)
        write(library, batch)

    running = [in_thread(lambda batch=batch: ingest(batch)) for batch in batches]
    for thread, _ in running:
        thread.join(20)
    outcomes = [[type(error) for error in errors] for _, errors in running]
    assert sorted(outcomes, key=len) == [[], [BindingError]]
    winner = batches[outcomes.index([])]
    assert library.catalog.collections.binding("books")["embedder"] == winner["embedder"]
    assert [d.id for d in library.catalog.chunks.visible("books")] == [d.id for d in winner["documents"]]


def test_ingest_that_waits_behind_the_deletion_of_its_collection_is_refused(library, lock_is_asked_for):
    library.add("/base.md", ["plain words"])
    batch = embedded(library, "/late.md", ["late words"])
    with bound_writer(library, "books").writing() as writer:
        lock_is_asked_for.clear()
        thread, errors = in_thread(lambda: write(library, batch))
        assert lock_is_asked_for.wait(10)
        writer.remove_collection()
    thread.join(20)
    assert [error.code for error in errors] == ["collection_unknown"]
    assert "'books'" in errors[0].message
    assert library.catalog.database.row("SELECT COUNT(*) FROM chunks")[0] == 0
