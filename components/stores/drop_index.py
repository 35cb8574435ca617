"""Delete a physical index from whatever document store it lies in."""

import contextlib
import shutil
from pathlib import Path
from typing import Any

from khub.components.catalog.catalog import Catalog
from khub.components.catalog.left_indexes import LeftIndex
from khub.components.stores.collection_lock import CollectionLocks
from khub.components.stores.store_failure import told_by_store
from khub.components.stores.store_template import StoreTemplate

NAMES = ("collection_name", "_collection_name", "index", "_index")
"""Attributes in which the classes of stores keep the name of the index."""


def drop_left(catalog: Catalog, index: LeftIndex, template: StoreTemplate) -> None:
    """Delete an index that no collection reads, and strike it out. Call it with the writer's lock held.

    :param template: of the store in which it lies.
    :raises StoreError: if the store cannot be used; then it stays noted.
    """
    locks = CollectionLocks(catalog.home, index.slug)
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
            close = getattr(store, "close", None)
            if close is not None:
                close()


def _drop(store: Any, physical: str) -> None:
    own = getattr(store, "drop", None) or getattr(store, "delete_table", None)  # of the hub's classes; PostgreSQL
    if own is not None:
        own()
        return
    store.count_documents()  # connects: until then there is no client
    client: Any = getattr(store, "client", getattr(store, "_client", None))
    name = _name(store, physical)
    if name and hasattr(client, "delete_collection"):  # Qdrant, Chroma
        client.delete_collection(name)
    elif name and hasattr(client, "drop_collection"):  # Milvus
        client.drop_collection(name)
    elif name and hasattr(client, "indices"):  # OpenSearch, Elasticsearch
        client.indices.delete(index=name)
    elif name and hasattr(client, "collections"):  # Weaviate
        client.collections.delete(name)
    elif hasattr(store, "delete_all_documents"):
        store.delete_all_documents()
    else:
        store.delete_documents([document.id for document in store.filter_documents()])


def _name(store: Any, physical: str) -> str | None:
    """Return what the store calls the index; None where that does not tell it from those of other collections."""
    names = [getattr(store, key, None) for key in NAMES]
    names.append(getattr(store, "_collection_settings", {}).get("class"))
    return next((name for name in names if isinstance(name, str) and physical in name.lower()), None)
