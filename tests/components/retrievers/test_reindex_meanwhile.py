"""A collection may be embedded anew, and into another store, while a question is on its way."""

import pytest
from toy_embedders import ToyDocumentEmbedder

import khub.components.retrievers.dense_retriever as module
from khub.components.embedders.cached_embedder import CachedEmbedder
from khub.components.errors import StoreError
from khub.components.retrievers.dense_retriever import DenseRetriever
from khub.components.stores.index_writer import IndexWriter
from khub.components.stores.open_indexes import close_readers, dense_reader
from khub.components.stores.store_template import StoreTemplate
from khub.components.text.tokenizer import TOKENIZER_VERSION
from tests.components.retrievers.conftest import ask

pytestmark = pytest.mark.integration


def chroma_in(library, folder):
    parameters = {
        "collection_name": "{collection}",
        "persist_path": f"{{home}}/{folder}/{{collection}}",
        "sync_threshold": 10,  # so that there are index files
    }
    store = {"type": "khub.components.stores.chroma_store.ChromaStore", "init_parameters": parameters}
    return StoreTemplate(store, library.chroma.retriever)


def reindex(library, template, embedder):
    cached = CachedEmbedder(embedder)
    binding = {"store": template.to_dict(), "embedder": cached.binding(), "tokenizer": TOKENIZER_VERSION}
    with IndexWriter(library.catalog, "books", template, binding).writing(repair=False, moving=True) as writer:
        cached.run(list(library.catalog.chunks.visible("books")))
        writer.move()
        library.catalog.vectors.drop_other("books", binding["embedder"]["fingerprint"])


@pytest.fixture
def books(library):
    first = chroma_in(library, "first")
    library.add("/base.md", ["herons wade slowly", *(f"word{n} here" for n in range(30))], template=first)
    return first


@pytest.mark.parametrize("folder", ["first", "second"])
@pytest.mark.parametrize("model", ["toy", "other"])
def test_question_finds_what_it_finds_before_and_after(library, books, monkeypatch, folder, model):
    before = ask(DenseRetriever(top_k=1), "herons wade slowly", "books")

    def reindex_first(*arguments):
        monkeypatch.setattr(module, "dense_reader", dense_reader)
        reindex(library, chroma_in(library, folder), ToyDocumentEmbedder(model))
        return dense_reader(*arguments)

    monkeypatch.setattr(module, "dense_reader", reindex_first)
    during = ask(DenseRetriever(top_k=1), "herons wade slowly", "books")
    after = ask(DenseRetriever(top_k=1), "herons wade slowly", "books")
    assert [[d.content for d in r["documents"]] for r in (before, during, after)] == [["herons wade slowly"]] * 3
    assert during["documents"][0].score == after["documents"][0].score
    assert library.catalog.index_states.state("books").damaged == ()


@pytest.mark.parametrize("rebuilt", [True, False])
def test_question_whose_index_is_dropped_meanwhile_is_asked_again(library, books, monkeypatch, rebuilt):
    def drop_first(*_):
        monkeypatch.setattr(module, "dense_reader", dense_reader)
        if rebuilt:
            reindex(library, books, ToyDocumentEmbedder())
        raise ConnectionError("relation does not exist")

    monkeypatch.setattr(module, "dense_reader", drop_first)
    if rebuilt:
        found = ask(DenseRetriever(top_k=1), "herons wade slowly", "books")
        assert [d.content for d in found["documents"]] == ["herons wade slowly"]
    else:
        with pytest.raises(ConnectionError):
            ask(DenseRetriever(top_k=1), "herons wade slowly", "books")


def test_reader_of_the_store_that_a_collection_left_opens_nothing(library, books):
    close_readers()
    reindex(library, chroma_in(library, "second"), ToyDocumentEmbedder())
    with pytest.raises(StoreError, match="'books' has moved to another document store"):
        dense_reader(library.catalog, "books", books)._reopen()
    left = [p.name for p in (library.catalog.home / "first").iterdir()]
    assert library.catalog.index_states.state("books").physical("dense") not in left
