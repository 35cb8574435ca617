"""Rebuild a lost index in the background of a process that lives on, while it answers from the other leg."""

import logging
import threading

from khub.components.catalog.catalog import open_catalog
from khub.components.errors import KhubError
from khub.components.stores.collection_lock import locks_of
from khub.server.library.collections import writer_of

logger = logging.getLogger(__name__)

_healing: set[str] = set()
_lock = threading.Lock()


def heal_in_background(collection: str) -> bool:
    """Start a repair unless one is under way here or another process is writing; return whether it was started.

    Command-line calls end too soon for this: they name `khub doctor --repair`, and the next ingest repairs as well.
    """
    with _lock:
        if collection in _healing:
            return False
        _healing.add(collection)
    threading.Thread(target=_heal, args=(collection,), name=f"heal-{collection}", daemon=True).start()
    return True


def _heal(collection: str) -> None:
    try:
        catalog = open_catalog()
        with locks_of(catalog, catalog.collections.slug(collection)).try_writer():
            pass  # whoever holds it is writing, and has repaired first
        with writer_of(catalog, collection).writing():
            logger.info("collection %s is whole", collection)
    except KhubError as error:
        logger.warning("collection %s could not be repaired: %s", collection, error)
    finally:
        with _lock:
            _healing.discard(collection)
