"""What is made of a collection's pictures, kept in memory until the collection changes."""

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

from khub.components.catalog.catalog import Catalog

T = TypeVar("T")

LARGEST = 50_000
"""Pictures of a collection that are held: 100 MB of prints, or of vectors with 512 dimensions."""


class Held(Generic[T]):
    """One object for each collection of the process's hubs, as of the last commit.

    Readers need no lock against writers: it is made from the catalog, and what it finds is looked up there.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._known: dict[tuple[str, str], tuple[tuple[int, str], T]] = {}

    def get(self, catalog: Catalog, collection: str, about: str, make: Callable[[], T]) -> T:
        """Return the collection's object.

        :param about: what else it depends on; only the one of the last `about` is kept.
        :param make: makes it anew.
        """
        home = str(catalog.home)
        mark = catalog.collections.commits(collection), about
        with self._lock:
            kept = self._known.get((home, collection))
            if kept is None or kept[0] != mark:
                names = set(catalog.collections.names())
                for key in [key for key in self._known if key[0] == home and key[1] not in names]:
                    del self._known[key]
                kept = self._known[home, collection] = mark, make()
            return kept[1]
