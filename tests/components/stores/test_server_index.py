"""Indexes that lie in no folder go with their collection, and with their generation."""

import uuid

import pytest
from haystack.document_stores.in_memory import InMemoryDocumentStore

from khub.components.stores.drop_index import drop_index
from khub.components.stores.store_template import StoreTemplate
from tests.components.stores.conftest import Shelf

pytestmark = pytest.mark.integration


@pytest.fixture
def shelf():
    """A collection in Haystack's in-memory store, where it lies as on a server: under a name, in no folder."""
    template = StoreTemplate(
        {
            "type": "haystack.document_stores.in_memory.document_store.InMemoryDocumentStore",
            "init_parameters": {"index": f"{uuid.uuid4()}/{{collection}}"},
        },
        "haystack.components.retrievers.in_memory.embedding_retriever.InMemoryEmbeddingRetriever",
    )
    shelf = Shelf(template)
    shelf.write(shelf.document("birds", ["herons wade", "owls hunt"]))
    return shelf


def stored(shelf, generation=None):
    state = shelf.catalog.index_states.state(shelf.name)
    name = state.physical("dense") if generation is None else f"{state.slug}_g{generation}"
    return {document.id for document in shelf.template.build(name, shelf.catalog.home)[0].filter_documents()}


def test_an_index_that_is_built_anew_leaves_nothing_behind(shelf):
    before = shelf.catalog.index_states.state(shelf.name).dense_generation
    with shelf.writer().writing() as writer:
        writer.rebuild("dense")
    assert stored(shelf) == shelf.catalog.chunks.indexed_ids(shelf.name)
    with shelf.writer().writing() as writer:
        writer.repair(["sparse"])
    assert stored(shelf, before) == set()
    assert stored(shelf) == shelf.catalog.chunks.indexed_ids(shelf.name)


def test_what_a_stopped_writer_has_built_goes_with_the_next_one(shelf, monkeypatch):
    class StoppedError(Exception):
        pass

    def stopped(*_arguments):
        raise StoppedError

    last = shelf.catalog.index_states.next_generation()
    with monkeypatch.context() as patch, shelf.writer().writing() as writer:
        patch.setattr(shelf.catalog.index_states, "start_generation", stopped)
        with pytest.raises(StoppedError):
            writer.rebuild("dense")
    assert stored(shelf, last + 1)
    shelf.write(shelf.document("fish", ["pikes wait"]))
    assert stored(shelf, last + 1) == set()
    assert stored(shelf) == shelf.catalog.chunks.indexed_ids(shelf.name)


def test_a_deleted_collection_leaves_nothing_behind(shelf):
    state = shelf.catalog.index_states.state(shelf.name)
    with shelf.writer().writing() as writer:
        writer.remove_collection()
    store = shelf.template.build(state.physical("dense"), shelf.catalog.home)[0]
    assert store.count_documents() == 0
    assert not shelf.catalog.collections.exists(shelf.name)


def test_a_store_that_can_drops_the_whole_index(shelf, monkeypatch):
    dropped = []
    monkeypatch.setattr(InMemoryDocumentStore, "drop", lambda store: dropped.append(store.index), raising=False)
    drop_index(shelf.template, "shelf_g1", shelf.catalog.home)
    assert dropped == [shelf.template.store["init_parameters"]["index"].replace("{collection}", "shelf_g1")]
