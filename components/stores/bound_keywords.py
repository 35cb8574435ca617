"""The keyword index of a collection, on this machine or in its store."""

from khub.components.catalog.catalog import Catalog
from khub.components.catalog.collection_binding import holds_words
from khub.components.stores.bound_parts import bound_store
from khub.components.stores.engine_keywords import EngineKeywords
from khub.components.stores.keyword_index import KeywordIndex
from khub.components.stores.open_indexes import dense_reader, sparse_reader


def bound_keywords(catalog: Catalog, collection: str) -> KeywordIndex:
    """Return a collection's keyword index as of the last commit.

    :raises StoreError: if it is damaged, until it is rebuilt.
    """
    store = catalog.collections.binding(collection).get("store")
    if store and holds_words(store):
        return EngineKeywords(catalog, collection, dense_reader(catalog, collection, bound_store(store)))
    return sparse_reader(catalog, collection).get()
