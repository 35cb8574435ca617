"""Let the indexes of this machine follow the catalog before a question is put to them."""

import contextvars
import logging
import threading
import time

from khub.components.catalog.catalog import Catalog
from khub.components.catalog.database import LockHeldError
from khub.components.errors import KhubError
from khub.components.retrievers.bound_retriever import bound_store
from khub.components.stores.index_writer import IndexWriter

logger = logging.getLogger(__name__)

PATIENCE_S = 2.0
"""A question waits so long for what other machines have committed; then it is put to what is here, and says so."""
POLL_S = 0.01
_following: dict[tuple[str, str], threading.Thread] = {}
_lock = threading.Lock()


def behind(catalog: Catalog, collection: str, patience_s: float = PATIENCE_S) -> int:
    """Let the indexes follow for a while; return how many commits they are still behind, 0 as a rule.

    What takes longer goes on in the background.

    :raises CollectionError: if there is no such collection.
    """
    if not catalog.database.shared:
        return 0
    wanted, until = catalog.collections.commits(collection), time.monotonic() + patience_s
    while (held := catalog.index_states.state(collection).commits) < wanted:
        if (left := until - time.monotonic()) <= 0:
            return wanted - held
        _thread(catalog, collection).join(left)
        if catalog.index_states.state(collection).commits == held:
            time.sleep(POLL_S)  # a writer of this machine is at work
    return 0


def _thread(catalog: Catalog, collection: str) -> threading.Thread:
    key = (str(catalog.home), collection)
    with _lock:
        thread = _following.get(key)
        if thread is None or not thread.is_alive():
            here = contextvars.copy_context()
            thread = _following[key] = threading.Thread(
                target=here.run, args=(_follow, catalog, collection), name=f"follow-{collection}", daemon=True
            )
            thread.start()
        return thread


def _follow(catalog: Catalog, collection: str) -> None:
    try:
        binding = catalog.collections.binding(collection)
        if binding:
            IndexWriter(catalog, collection, bound_store(binding["store"]), binding).follow()
        else:  # nothing was ever written into it
            catalog.index_states.followed(collection, catalog.collections.commits(collection))
    except LockHeldError:
        return
    except KhubError as error:
        logger.warning("the indexes of collection %s do not follow: %s", collection, error)
