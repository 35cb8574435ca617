"""An index leaves its store as a whole, by what the store's class offers."""

import threading

import pytest
from haystack import Document
from haystack.core.serialization import generate_qualified_class_name
from haystack.document_stores.in_memory import InMemoryDocumentStore

from khub.components.catalog.catalog import open_catalog
from khub.components.catalog.left_indexes import LeftIndex
from khub.components.stores.collection_lock import CollectionLocks
from khub.components.stores.drop_index import OF_LIBRARIES, drop_index, drop_left
from khub.components.stores.store_template import StoreTemplate
from tests.error_codes import raises_code

pytestmark = pytest.mark.unit

IN_MEMORY = "haystack.document_stores.in_memory.document_store.InMemoryDocumentStore"
IN_MEMORY_RETRIEVER = "haystack.components.retrievers.in_memory.InMemoryEmbeddingRetriever"


class Calls(list):
    """A client, or a part of one, that notes what it is asked for."""

    def __init__(self, *offers):
        for offer in offers:
            setattr(self, offer, lambda *names, offer=offer, **more: self.append((offer, *names, *more.values())))


class Store:
    """Has the attributes that it is given, and can be connected."""

    def __init__(self, **attributes):
        vars(self).update(attributes)
        self.calls = []

    def count_documents(self):
        self.calls.append("connected")
        return 0

    def close(self):
        self.calls.append("closed")

    def delete_all_documents(self):
        self.calls.append("emptied")


@pytest.fixture
def drop(monkeypatch, tmp_path):
    """Return a function that drops index `docs_g3` of a store."""

    def act(store):
        template = StoreTemplate({"type": "a.Shop", "init_parameters": {"index": "{collection}"}}, "a.R")
        monkeypatch.setattr(StoreTemplate, "build", lambda *_: (store, None))
        drop_index(template, "docs_g3", tmp_path)

    return act


def of_library(name: str, **attributes: object) -> Store:
    """Return a store that passes for one of a library's class."""
    (path,) = (path for path in OF_LIBRARIES if path.endswith(f".{name}"))
    return type(name, (Store,), {"__module__": path.rpartition(".")[0]})(**attributes)


@pytest.mark.parametrize(
    ("library", "attribute", "offer", "client"),
    [
        ("QdrantDocumentStore", "index", "delete_collection", "_client"),
        ("ChromaDocumentStore", "_collection_name", "delete_collection", "_client"),
        ("MilvusDocumentStore", "collection_name", "drop_collection", "client"),
    ],
)
def test_collection_of_a_client_is_deleted_by_name(drop, library, attribute, offer, client):
    calls = Calls(offer)
    store = of_library(library, **{attribute: "khub_docs_g3", client: calls})
    drop(store)
    assert calls == [(offer, "khub_docs_g3")]
    assert store.calls == ["connected", "closed"]


@pytest.mark.parametrize("library", ["OpenSearchDocumentStore", "ElasticsearchDocumentStore"])
def test_index_of_a_search_engine_is_deleted(drop, library):
    store = of_library(library, _index="docs_g3", _client=Store(indices=Calls("delete")))
    drop(store)
    assert store._client.indices == [("delete", "docs_g3")]


def test_class_of_weaviate_is_deleted(drop):
    settings, client = {"class": "Docs_g3"}, Store(collections=Calls("delete"))
    drop(of_library("WeaviateDocumentStore", _collection_settings=settings, client=client))
    assert client.collections == [("delete", "Docs_g3")]


def test_table_is_deleted(drop):
    calls = Calls("delete_table")
    drop(of_library("PgvectorDocumentStore", table_name="docs_g3", delete_table=calls.delete_table))
    assert calls == [("delete_table",)]


@pytest.mark.parametrize("path", OF_LIBRARIES)
def test_the_classes_are_where_the_table_says(path):
    module, _, name = path.rpartition(".")
    library = pytest.importorskip(module, exc_type=ImportError)
    assert generate_qualified_class_name(getattr(library, name)) == path


def test_store_that_can_drop_its_index_does(drop):
    calls = Calls("drop")
    drop(Store(drop=calls.drop, index="docs_g3", _client=Calls("delete_collection")))
    assert calls == [("drop",)]


def test_index_that_others_share_keeps_what_is_theirs(drop):
    store = of_library("QdrantDocumentStore", index="shared", namespace="docs_g3", _client=Calls("delete_collection"))
    drop(store)
    assert store._client == []
    assert store.calls == ["connected", "emptied", "closed"]


def test_of_another_class_nothing_is_guessed(drop):
    store = Store(index="docs_g3", _client=Calls("delete_collection"))
    drop(store)
    assert (store._client, store.calls) == ([], ["connected", "emptied", "closed"])


def test_store_that_is_down_is_named(drop):
    def down():
        raise ConnectionError("refused")

    store = Store(index="docs_g3", count_documents=down)
    with raises_code("store_unreachable", "Shop", "ConnectionError"):
        drop(store)
    assert store.calls == ["closed"]


def test_folder_of_an_embedded_store_is_deleted(template, tmp_path):
    mine, other = (tmp_path / "dense" / name for name in ("docs_g3", "docs_g4"))
    for folder in (mine, other):
        folder.mkdir(parents=True)
    drop_index(template, "docs_g3", tmp_path)
    drop_index(template, "docs_g3", tmp_path)
    assert (mine.exists(), other.exists()) == (False, True)


def test_folder_of_a_left_index_stays_while_somebody_opens_it(template, tmp_path, monkeypatch):
    monkeypatch.setenv("KHUB_HOME", str(tmp_path))
    catalog, folder = open_catalog(), tmp_path / "dense" / "docs_g3"
    folder.mkdir(parents=True)
    left = LeftIndex("docs_g3", "docs", template.to_dict())
    catalog.left_indexes.add(left)
    dropping = threading.Thread(target=drop_left, args=(catalog, left, template))
    with CollectionLocks(tmp_path, "docs").index_shared():
        dropping.start()
        dropping.join(0.3)
        assert folder.exists()
    dropping.join()
    assert (folder.exists(), catalog.left_indexes.all()) == (False, [])


def test_store_that_offers_no_more_is_emptied(tmp_path):
    store = {"type": IN_MEMORY, "init_parameters": {"index": "{collection}", "shared": True}}
    template = StoreTemplate(store, IN_MEMORY_RETRIEVER)
    one, other = (template.build(name, tmp_path)[0] for name in ("docs_g3", "docs_g4"))
    for filled in (one, other):
        filled.write_documents([Document(id="a", content="a")])
    drop_index(template, "docs_g3", tmp_path)
    assert [InMemoryDocumentStore(index=name, shared=True).count_documents() for name in ("docs_g3", "docs_g4")] == [
        0,
        1,
    ]
