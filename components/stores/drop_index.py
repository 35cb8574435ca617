"""Delete a physical index from whatever document store it lies in."""

import contextlib
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

from haystack.core.serialization import generate_qualified_class_name

from khub.components.catalog.catalog import Catalog
from khub.components.catalog.left_indexes import LeftIndex
from khub.components.stores.collection_lock import locks_of
from khub.components.stores.store_failure import told_by_store
from khub.components.stores.store_protocol import Droppable, close_store
from khub.components.stores.store_template import StoreTemplate

_INTEGRATIONS = "haystack_integrations.document_stores"
_SEARCH_ENGINE = (lambda store: store._index, lambda store, name: store._client.indices.delete(index=name))
OF_LIBRARIES: dict[str, tuple[Callable[[Any], str], Callable[[Any, str], Any]]] = {
    f"{_INTEGRATIONS}.opensearch.document_store.OpenSearchDocumentStore": _SEARCH_ENGINE,
    f"{_INTEGRATIONS}.elasticsearch.document_store.ElasticsearchDocumentStore": _SEARCH_ENGINE,
    f"{_INTEGRATIONS}.weaviate.document_store.WeaviateDocumentStore": (
        lambda store: store._collection_settings["class"],
        lambda store, name: store.client.collections.delete(name),
    ),
    f"{_INTEGRATIONS}.chroma.document_store.ChromaDocumentStore": (
        lambda store: store._collection_name,
        lambda store, name: store._client.delete_collection(name),
    ),
    f"{_INTEGRATIONS}.qdrant.document_store.QdrantDocumentStore": (
        lambda store: store.index,
        lambda store, name: store._client.delete_collection(name),
    ),
    f"{_INTEGRATIONS}.pgvector.document_store.PgvectorDocumentStore": (
        lambda store: store.table_name,
        lambda store, _: store.delete_table(),
    ),
    "milvus_haystack.document_store.MilvusDocumentStore": (
        lambda store: store.collection_name,
        lambda store, name: store.client.drop_collection(name),
    ),
}
"""Of classes that a graph may name and that are not the hub's own: the name of the index, and how it is deleted."""


def drop_left(catalog: Catalog, index: LeftIndex, template: StoreTemplate) -> None:
    """Delete an index that no collection reads, and strike it out. Call it with the writer's lock held.

    :param template: of the store in which it lies.
    :raises StoreError: if the store cannot be used; then it stays noted.
    """
    locks = locks_of(catalog, index.slug)
    with locks.index_exclusive() if template.roots(catalog.home) else contextlib.nullcontext():
        drop_index(template, index.physical, catalog.home)
    catalog.left_indexes.forget(index.physical)


def drop_index(template: StoreTemplate, physical: str, home: Path) -> None:
    """Delete a physical index as a whole: its folder, table or collection; its documents where a store offers no more.

    One that is not there is no error. Nobody may write it meanwhile.

    :raises StoreError: if the store cannot be used; then the index may still be there.
    """
    roots = template.roots(home)
    for root in roots:
        shutil.rmtree(root / physical, ignore_errors=True)
    if roots:
        return
    with told_by_store(template):
        store = template.build(physical, home)[0]
        try:
            _drop(store, physical)
        finally:
            close_store(store)


def _drop(store: Any, physical: str) -> None:
    if isinstance(store, Droppable):
        store.drop()
        return
    store.count_documents()  # connects: until then there is no client
    name_of, drop = OF_LIBRARIES.get(generate_qualified_class_name(type(store)), (None, None))
    name = name_of(store) if name_of else ""
    if drop and physical in name.lower():  # else other collections have the index, too
        drop(store, name)
    elif hasattr(store, "delete_all_documents"):
        store.delete_all_documents()
    else:
        store.delete_documents([document.id for document in store.filter_documents()])
