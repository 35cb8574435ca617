"""What was read in a picture is kept, so that the same picture is never read twice."""

import contextlib
import logging
import sqlite3
from collections.abc import Iterator
from pathlib import Path

from khub.components.home import hub_home
from khub.components.ocr.text_line import ReadPicture
from khub.components.private_files import private_file
from khub.components.write_ahead import write_ahead

logger = logging.getLogger(__name__)

BUSY_TIMEOUT_S = 60.0


class OcrCache:
    """A table in `{home}/cache/ocr.sqlite3`: (sha256 of the picture file, fingerprint) -> what was read.

    Several processes may use it at the same time. A file that cannot be used is told in the log and costs only time.

    :param fingerprint: of the models and parameters that decide what is read.
    """

    def __init__(self, fingerprint: str) -> None:
        self.fingerprint = fingerprint

    @property
    def path(self) -> Path:
        """The SQLite file."""
        return hub_home() / "cache" / "ocr.sqlite3"

    def get(self, sha256: str) -> ReadPicture | None:
        """Return what was read in a picture, or None."""
        query = "SELECT content FROM pictures WHERE sha256 = ? AND fingerprint = ?"
        try:
            with self._open() as connection:
                row = connection.execute(query, (sha256, self.fingerprint)).fetchone()
            return ReadPicture.from_json(row[0]) if row else None
        except (sqlite3.Error, OSError, ValueError, TypeError) as error:
            self._tell(error)
            return None

    def put(self, sha256: str, read: ReadPicture) -> None:
        """Keep what was read in a picture."""
        try:
            with self._open() as connection:
                values = (sha256, self.fingerprint, read.to_json())
                connection.execute("INSERT OR REPLACE INTO pictures VALUES (?, ?, ?)", values)
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
                "CREATE TABLE IF NOT EXISTS pictures (sha256 TEXT NOT NULL, fingerprint TEXT NOT NULL, "
                "content TEXT NOT NULL, PRIMARY KEY (sha256, fingerprint)) WITHOUT ROWID"
            )
            with connection:
                yield connection
        finally:
            connection.close()

    def _tell(self, error: Exception) -> None:
        logger.warning("the cache of OCR %s cannot be used (%s); delete it if it is damaged", self.path, error)
