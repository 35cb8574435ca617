"""What was transcribed of a recording is kept: an interrupted one goes on behind its last finished window."""

import contextlib
import json
import logging
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from khub.components.home import hub_home
from khub.components.private_files import private_file
from khub.components.write_ahead import write_ahead

logger = logging.getLogger(__name__)

BUSY_TIMEOUT_S = 60.0


class SpeechCache:
    """A table in `{home}/cache/speech.sqlite3`: (sha256 of the file, fingerprint, number of a window) -> what is said.

    Several processes may use it at the same time. A file that cannot be used is told in the log and costs only time.

    :param fingerprint: of the model and the parameters that decide what is heard.
    """

    def __init__(self, fingerprint: str) -> None:
        self.fingerprint = fingerprint

    @property
    def path(self) -> Path:
        """The SQLite file."""
        return hub_home() / "cache" / "speech.sqlite3"

    def get(self, sha256: str) -> list[dict[str, Any]]:
        """Return the windows of a recording that are finished, from the first one on."""
        query = "SELECT number, content FROM windows WHERE sha256 = ? AND fingerprint = ? ORDER BY number"
        try:
            with self._open() as connection:
                rows = connection.execute(query, (sha256, self.fingerprint)).fetchall()
            return [json.loads(content) for number, (stored, content) in enumerate(rows) if number == stored]
        except (sqlite3.Error, OSError, ValueError) as error:
            self._tell(error)
            return []

    def put(self, sha256: str, number: int, window: dict[str, Any]) -> None:
        """Keep a window, counted from 0."""
        try:
            with self._open() as connection:
                values = (sha256, self.fingerprint, number, json.dumps(window, ensure_ascii=False))
                connection.execute("INSERT OR REPLACE INTO windows VALUES (?, ?, ?, ?)", values)
        except (sqlite3.Error, OSError) as error:
            self._tell(error)

    @contextlib.contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        private_file(self.path)
        connection = sqlite3.connect(self.path, timeout=BUSY_TIMEOUT_S)
        try:
            write_ahead(connection, BUSY_TIMEOUT_S)
            connection.execute("PRAGMA synchronous = NORMAL")
            connection.execute(
                "CREATE TABLE IF NOT EXISTS windows (sha256 TEXT NOT NULL, fingerprint TEXT NOT NULL, "
                "number INTEGER NOT NULL, content TEXT NOT NULL, PRIMARY KEY (sha256, fingerprint, number)) "
                "WITHOUT ROWID"
            )
            with connection:
                yield connection
        finally:
            connection.close()

    def _tell(self, error: Exception) -> None:
        logger.warning("the cache of speech %s cannot be used (%s); delete it if it is damaged", self.path, error)
