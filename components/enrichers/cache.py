"""What models have replied, on disk: what succeeded once is never asked for again."""

import contextlib
import hashlib
import json
import sqlite3
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, TypeVar

from haystack import logging

from khub.components.home import hub_home
from khub.components.private_files import private_file
from khub.components.write_ahead import write_ahead

logger = logging.getLogger(__name__)

BUSY_TIMEOUT_S = 60.0
LOOKUP_SIZE = 500
SCHEMA = """
CREATE TABLE IF NOT EXISTS replies (key TEXT PRIMARY KEY, stage TEXT NOT NULL, reply TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS uses (key TEXT NOT NULL, doc_id TEXT NOT NULL, PRIMARY KEY (key, doc_id)) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS uses_of_document ON uses (doc_id);
"""
UNSHARED = """
DELETE FROM replies WHERE key IN (SELECT key FROM uses WHERE doc_id = ?)
AND NOT EXISTS (SELECT 1 FROM uses other WHERE other.key = replies.key AND other.doc_id <> ?)
"""

T = TypeVar("T")


def cache_key(*parts: Any) -> str:
    """Return the hash of everything that a reply depends on: JSON values."""
    text = json.dumps(parts, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def open_cache(home: Path | None = None) -> "EnrichmentCache":
    """Return the cache of a hub.

    :param home: its folder; that of the hub in use if None.
    """
    return EnrichmentCache((home or hub_home()) / "cache" / "enrichment.sqlite3")


class EnrichmentCache:
    """Replies by key, and which documents they were used for; safe for threads and processes.

    A cache that cannot be used costs calls, and nothing else: each access then does nothing and logs a warning.

    :param path: the SQLite file; it and its folder are made at the first access.
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    def get(self, keys: Sequence[str]) -> dict[str, Any]:
        """Return the known replies among `keys`."""

        def look_up(connection: sqlite3.Connection) -> dict[str, Any]:
            found: dict[str, Any] = {}
            for start in range(0, len(keys), LOOKUP_SIZE):
                part = keys[start : start + LOOKUP_SIZE]
                marks = ",".join("?" * len(part))
                rows = connection.execute(f"SELECT key, reply FROM replies WHERE key IN ({marks})", part)  # noqa: S608
                found.update((key, json.loads(reply)) for key, reply in rows)
            return found

        return self._with_file(look_up) or {}

    def put(self, key: str, stage: str, reply: Any) -> None:
        """Keep a reply, a JSON value; it is on disk when this returns."""
        row = (key, stage, json.dumps(reply))
        self._with_file(lambda file: file.execute("INSERT OR REPLACE INTO replies VALUES (?, ?, ?)", row))

    def note_uses(self, uses: Iterable[tuple[str, str]]) -> None:
        """Remember which documents replies were used for: pairs of key and `doc_id`."""
        rows = list(uses)
        self._with_file(lambda file: file.executemany("INSERT OR IGNORE INTO uses VALUES (?, ?)", rows))

    def forget(self, doc_ids: Iterable[str]) -> int:
        """Delete what was replied for deleted documents, where no other document uses it.

        :returns: how many replies went.
        """

        def delete(connection: sqlite3.Connection) -> int:
            gone = 0
            for doc_id in doc_ids:
                gone += connection.execute(UNSHARED, (doc_id, doc_id)).rowcount
                connection.execute("DELETE FROM uses WHERE doc_id = ?", (doc_id,))
            return gone

        return (self._with_file(delete) or 0) if self.path.exists() else 0

    def _with_file(self, work: Callable[[sqlite3.Connection], T]) -> T | None:
        try:
            private_file(self.path)
            with contextlib.closing(sqlite3.connect(self.path, timeout=BUSY_TIMEOUT_S)) as connection:
                _prepare(connection)
                with connection:
                    return work(connection)
        except (OSError, sqlite3.Error) as error:
            logger.warning(
                "the cache {path} cannot be used ({error}): models are asked again; delete the file if it is damaged",
                path=str(self.path),
                error=str(error),
            )
            return None


def _prepare(connection: sqlite3.Connection) -> None:
    if connection.execute("PRAGMA journal_mode").fetchone()[0] != "wal":
        write_ahead(connection, BUSY_TIMEOUT_S)
    connection.execute("PRAGMA synchronous=NORMAL")
    connection.execute("PRAGMA secure_delete=ON")
    if not connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'uses_of_document'").fetchone():
        connection.executescript(SCHEMA)
