"""What may be shown of each document at each moment, so that a question can be judged that was asked meanwhile."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

GONE = 0
"""The version of a document that is not there."""


class Fates:
    """Of each document, since when which versions may be shown.

    While one is brought or deleted both what was there and what is to be there may be shown, afterwards that alone.
    """

    def __init__(self, names: list[str]) -> None:
        self._lock = threading.Lock()
        self._since: dict[str, list[tuple[float, frozenset[int]]]] = {
            name: [(0.0, frozenset({GONE}))] for name in names
        }
        self._sent = dict.fromkeys(names, GONE)
        self.names = names

    @contextmanager
    def becoming(self, name: str, version: int) -> Iterator[None]:
        """Let the document become a version while the block runs."""
        self._add(name, self.now(name) | {version})
        yield
        self._add(name, frozenset({version}))

    def next_version(self, name: str) -> int:
        """Return a version that the document never had."""
        with self._lock:
            self._sent[name] += 1
            return self._sent[name]

    def now(self, name: str) -> frozenset[int]:
        """Return what may be shown of a document now."""
        with self._lock:
            return self._since[name][-1][1]

    def between(self, name: str, began: float, ended: float) -> frozenset[int]:
        """Return what may have been shown at any moment between two."""
        with self._lock:
            rows = self._since[name]
        last_before = max(number for number, (since, _) in enumerate(rows) if since <= began)
        return frozenset().union(*(may for since, may in rows[last_before:] if since <= ended))

    def _add(self, name: str, may: frozenset[int]) -> None:
        with self._lock:
            self._since[name] = [*self._since[name], (time.monotonic(), may)]
