"""Let the indexes of this machine follow the catalog before a question is put to them."""

import contextvars
import logging
import threading
import time
from collections.abc import Callable
from typing import TypeVar

from khub.components.call_time import loading
from khub.components.catalog.catalog import Catalog
from khub.components.catalog.database import LockHeldError
from khub.components.errors import StoreError
from khub.components.failure_reason import failure_reason
from khub.components.stores.bound_parts import bound_store
from khub.components.stores.collection_indexes import CollectionIndexes
from khub.components.stores.follow_catalog import follow_catalog

logger = logging.getLogger(__name__)
Found = TypeVar("Found")

PATIENCE_S = 2.0
"""A question waits so long for what other machines have committed; then it is put to what is here, and says so."""
FIRST_S = 60.0
"""So long for indexes that are not there yet."""
NEXT_STAGE_S = 0.5
POLL_S = 0.01
_lock = threading.Lock()


class _Following(threading.Thread):
    """Lets the indexes follow once.

    :ivar failure: why they did not.
    """

    failure: Exception | None = None

    def __init__(self, catalog: Catalog, collection: str) -> None:
        super().__init__(name=f"follow-{collection}", daemon=True)
        self._what = catalog, collection
        self._here = contextvars.copy_context()

    def run(self) -> None:
        """Follow, as for the question that began it."""
        try:
            self._here.run(_follow, *self._what)
        except LockHeldError:
            return  # a writer of this machine, which does that itself, is at work
        except Exception as error:
            self.failure = error
            logger.warning("the indexes of collection %s do not follow: %s", self._what[1], failure_reason(error))


_following: dict[tuple[str, str], _Following] = {}
_deadlines: dict[tuple[str, str], tuple[int, float]] = {}


def behind(catalog: Catalog, collection: str, patience_s: float = PATIENCE_S) -> int:
    """Let the indexes follow for a while; return how many commits they are still behind, 0 as a rule.

    What takes longer goes on in the background. Where there are none yet, it waits for them as for a model.

    :raises CollectionError: if there is no such collection.
    :raises StoreError: if there are no indexes yet, and they cannot be built, or not within the time for that.
    """
    if not catalog.database.shared:
        return 0
    held, wanted = _held(catalog, collection), catalog.collections.commits(collection)
    if held > wanted:  # the catalog was put back from a backup
        catalog.index_states.mark_dirty(collection)
        catalog.index_states.followed(collection, 0)
    if _held(catalog, collection) == 0:
        with loading():
            failure = _wait(catalog, collection, 1, _deadline(catalog, collection, 0, FIRST_S))
        if _held(catalog, collection) == 0:
            raise failure or StoreError(
                f"the indexes of collection {collection!r} are being built on this machine",
                "ask again in a minute",
                code="store_unreachable",
            )
    if _held(catalog, collection) < wanted:
        _wait(catalog, collection, wanted, _deadline(catalog, collection, wanted, patience_s))
    return max(wanted - _held(catalog, collection), 0)


def with_no_commit_between(catalog: Catalog, collection: str, search: Callable[[], Found]) -> Found:
    """Search a collection, and once more where another machine committed meanwhile.

    What was replaced in that moment would be found in neither form: the catalog holds the old one no more, and the
    indexes of this machine not yet the new one.

    :param search: lets the indexes follow itself (see `behind`).
    """
    if not catalog.database.shared:
        return search()
    before = catalog.collections.commits(collection)
    found = search()
    return found if catalog.collections.commits(collection) == before else search()


def _deadline(catalog: Catalog, collection: str, wanted: int, patience_s: float) -> float:
    """Return until when a commit is waited for by all stages of a question; they ask shortly one after the other."""
    key, now = (str(catalog.home), collection), time.monotonic()
    with _lock:
        known, until = _deadlines.get(key, (wanted, 0.0))
        if known != wanted or now > until + NEXT_STAGE_S:
            until = now + patience_s
            _deadlines[key] = wanted, until
        return until


def _wait(catalog: Catalog, collection: str, wanted: int, until: float) -> Exception | None:
    """Let the indexes follow until they hold a commit, or for as long as is waited; return why they cannot."""
    while (held := _held(catalog, collection)) < wanted and (left := until - time.monotonic()) > 0:
        thread = _thread(catalog, collection)
        thread.join(left)
        if thread.failure is not None:
            return thread.failure
        if _held(catalog, collection) == held:
            time.sleep(POLL_S)  # a writer of this machine is at work
    return None


def _held(catalog: Catalog, collection: str) -> int:
    return catalog.index_states.state(collection).commits


def _thread(catalog: Catalog, collection: str) -> _Following:
    key = (str(catalog.home), collection)
    with _lock:
        thread = _following.get(key)
        if thread is None or not thread.is_alive():
            thread = _following[key] = _Following(catalog, collection)
            thread.start()
        return thread


def _follow(catalog: Catalog, collection: str) -> None:
    binding = catalog.collections.binding(collection)
    if binding:
        template, fingerprint = bound_store(binding["store"]), binding["embedder"]["fingerprint"]
        follow_catalog(CollectionIndexes(catalog, collection, template, fingerprint))
    else:  # nothing was ever written into it
        catalog.index_states.followed(collection, catalog.collections.commits(collection))
