"""What judges have replied, kept on disk: an interrupted evaluation goes on where it stopped, asking nothing twice."""

import contextlib
import sqlite3
from collections.abc import Iterable, Iterator
from pathlib import Path

from khub.components.errors import StoreError
from khub.components.home import hub_home
from khub.components.private_files import private_file

BUSY_TIMEOUT_S = 60.0
TABLE = "CREATE TABLE IF NOT EXISTS replies (key TEXT PRIMARY KEY, judge TEXT NOT NULL, reply TEXT NOT NULL)"


def replies_file() -> Path:
    """Return the file in which replies are kept; deleting it makes every judge answer afresh."""
    return hub_home() / "judge" / "replies.sqlite"


class JudgeReplies:
    """Replies by the hash of what was asked, and of whom; safe for threads and processes.

    :param path: the SQLite file; it and its folder are made at the first access.
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    def get(self, key: str) -> str | None:
        """Return the reply that is kept under a key."""
        with self._opened() as connection:
            row = connection.execute("SELECT reply FROM replies WHERE key = ?", (key,)).fetchone()
        return row[0] if row else None

    def put(self, key: str, judge: str, reply: str) -> None:
        """Keep a reply; it is on disk when this returns.

        :param judge: who replied, for people who look into the file.
        """
        with self._opened() as connection:
            connection.execute("INSERT OR REPLACE INTO replies VALUES (?, ?, ?)", (key, judge, reply))

    def forget(self, keys: Iterable[str]) -> None:
        """Remove replies that turned out to be of no use, so that they are asked for again."""
        with self._opened() as connection:
            connection.executemany("DELETE FROM replies WHERE key = ?", [(key,) for key in keys])

    @contextlib.contextmanager
    def _opened(self) -> Iterator[sqlite3.Connection]:
        try:
            private_file(self.path)
            with contextlib.closing(sqlite3.connect(self.path, timeout=BUSY_TIMEOUT_S)) as connection:
                connection.execute(TABLE)
                with connection:
                    yield connection
        except (OSError, sqlite3.Error) as error:
            raise StoreError(f"the judges' replies in {self.path} cannot be used ({error})", "delete it") from error
