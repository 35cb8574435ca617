"""Delete what collections have left in stores that are not their own any more."""

import logging

from khub.components.catalog.catalog import Catalog
from khub.components.errors import KhubError
from khub.components.stores.bound_parts import bound_store
from khub.components.stores.drop_index import drop_left

logger = logging.getLogger(__name__)


def drop_left_indexes(catalog: Catalog, slug: str) -> list[str]:
    """Delete the indexes that a collection, or one that is gone, has left. Call it with the writer's lock held.

    :returns: why some could not be deleted, a line each; the next reindex and `khub doctor --repair` try it again.
    """
    failed = []
    for index in catalog.left_indexes.all(slug):
        try:
            drop_left(catalog, index, bound_store(index.store))
        except KhubError as error:
            failed.append(f"index {index.physical} could not be deleted: {error.message}")
            logger.warning(failed[-1])
    return failed
