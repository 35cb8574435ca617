"""Delete the physical indexes of a collection that nobody reads any more."""

import logging

from khub.components.catalog.collection_binding import holds_words
from khub.components.errors import StoreError
from khub.components.stores.collection_indexes import CollectionIndexes
from khub.components.stores.drop_index import drop_left
from khub.components.stores.index_paths import remove_generations, sparse_root
from khub.components.stores.store_template import StoreTemplate

logger = logging.getLogger(__name__)


def sweep(indexes: CollectionIndexes) -> None:
    """Delete what is no longer in use. Call it with the writer's lock held."""
    remove_old_generations(indexes)
    drop_left_in_reach(indexes)


def remove_old_generations(indexes: CollectionIndexes) -> None:
    """Delete the index files of this machine but those in use."""
    catalog, state = indexes.catalog, indexes.state()
    words_elsewhere = holds_words(catalog.collections.binding(indexes.collection)["store"])
    remove_generations([sparse_root(catalog.home)], indexes.slug, "" if words_elsewhere else state.physical("sparse"))
    remove_generations(indexes.template.roots(catalog.home), indexes.slug, state.physical("dense"))


def drop_left_in_reach(indexes: CollectionIndexes) -> None:
    """Delete the indexes that were left in the collection's store and in folders; other stores may not answer."""
    catalog = indexes.catalog
    for index in catalog.left_indexes.all(indexes.slug):
        template = StoreTemplate(**index.store["init_parameters"])
        if template.key == indexes.template.key:
            template = indexes.template  # it may load its classes
        if template is indexes.template or template.roots(catalog.home):
            try:
                drop_left(catalog, index, template)
            except StoreError as error:
                logger.warning("index %s is still there: %s", index.physical, error)
