"""One SQLite file and the connections to it."""

import contextlib
import datetime
import logging
import sqlite3
import threading
from collections.abc import Iterator, Sequence
from importlib import resources
from pathlib import Path
from typing import Any

from khub.components.disk_full import DiskFullError, told_when_full
from khub.components.errors import StoreError
from khub.components.private_files import make_private, private_file
from khub.components.write_ahead import write_ahead

logger = logging.getLogger(__name__)

SCHEMA_VERSION = 8
SCHEMAS = ("schema.sql", "images.sql", "originals.sql", "duplicates.sql", "jobs.sql")
# In version 1, `page` was the first page of a chunk, not the one with most of its text. Without a recipe, a file with
# pages counts as changed, so that the next ingest reads it again. Pictures came with version 3, originals with 4,
# duplicates with 5, the tokens of chunks with 6, jobs with 7, left indexes, prints and vectors of pictures with 8.
FROM_VERSION_1 = (
    "ALTER TABLE chunks ADD COLUMN page_first INTEGER",
    "UPDATE chunks SET page_first = page",
    "UPDATE documents SET recipe = NULL WHERE pages IS NOT NULL",
)
ADD_TOKENS = "ALTER TABLE chunks ADD COLUMN tokens BLOB"
BUSY_TIMEOUT_S = 60.0
IDLE_CONNECTIONS = 8


def now() -> str:
    """Return the present time as ISO 8601 in UTC, to the millisecond."""
    return datetime.datetime.now(datetime.UTC).isoformat(timespec="milliseconds")


class Database:
    """The catalog's file: write-ahead log, a small pool of connections, explicit transactions.

    Threads come and go here (see `IdleThreads`), so connections are lent and not bound to a thread.

    :param path: the SQLite file; it and its folder are made by the first transaction. Until then it reads as empty.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._idle: list[sqlite3.Connection] = []
        self._lock = threading.Lock()
        self._ready = False

    def rows(self, sql: str, values: Sequence[Any] = ()) -> list[sqlite3.Row]:
        """Return all rows of a SELECT."""
        with self._lent(reading=True) as connection:
            return connection.execute(sql, values).fetchall()

    def row(self, sql: str, values: Sequence[Any] = ()) -> sqlite3.Row | None:
        """Return the first row of a SELECT, or None."""
        with self._lent(reading=True) as connection:
            found: sqlite3.Row | None = connection.execute(sql, values).fetchone()
            return found

    def stream(self, sql: str, values: Sequence[Any] = ()) -> Iterator[sqlite3.Row]:
        """Yield the rows of a SELECT one by one, from one snapshot, without holding them all in memory."""
        with self._lent(reading=True) as connection:
            yield from connection.execute(sql, values)

    @contextlib.contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """Hold the one write transaction; everything in the block is kept, or nothing."""
        with self._lent(reading=False) as connection:
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield connection
            except BaseException:
                if connection.in_transaction:  # a full disk has made SQLite take it back by itself
                    connection.execute("ROLLBACK")
                raise
            connection.execute("COMMIT")

    def checkpoint(self) -> None:
        """Move what the log holds into the file, as far as there is room, so that the log's room is used anew."""
        with self._lent(reading=False) as connection:
            connection.execute("PRAGMA wal_checkpoint(RESTART)")

    def close(self) -> None:
        """Close the idle connections."""
        with self._lock:
            idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()

    @contextlib.contextmanager
    def _lent(self, reading: bool) -> Iterator[sqlite3.Connection]:
        with self._lock:
            connection = self._idle.pop() if self._idle else None
        if connection is None and reading and self._is_absent():
            with contextlib.closing(_empty()) as connection:
                yield connection
            return
        try:
            with told_when_full(self.path.parent):
                connection = connection or self._connect()
        except DiskFullError:
            if not reading or self._has_log():
                raise
            with contextlib.closing(self._as_it_lies()) as connection:
                yield connection
            return
        try:
            with told_when_full(self.path.parent):
                yield connection
        except sqlite3.DatabaseError as error:
            if isinstance(error, sqlite3.OperationalError | sqlite3.IntegrityError | sqlite3.ProgrammingError):
                raise
            raise self._unusable(error) from error
        finally:
            with self._lock:
                keep = len(self._idle) < IDLE_CONNECTIONS and not connection.in_transaction
                if keep:
                    self._idle.append(connection)
            if not keep:
                connection.close()

    def _is_absent(self) -> bool:
        try:
            self.path.stat()
        except FileNotFoundError:
            return True
        except OSError:  # whoever connects says what is wrong with the folder
            return False
        return False

    def _has_log(self) -> bool:
        log = self.path.with_name(f"{self.path.name}-wal")
        return log.is_file() and log.stat().st_size > 0

    def _as_it_lies(self) -> sqlite3.Connection:
        """Return a connection that reads the file alone: on a full disk there may be no room for the log's index.

        Nobody writes then, and without a log the file holds all that there is.
        """
        connection = sqlite3.connect(f"{self.path.as_uri()}?immutable=1", uri=True, isolation_level=None)
        connection.row_factory = sqlite3.Row
        return connection

    def _connect(self) -> sqlite3.Connection:
        try:
            private_file(self.path)
            if not self._ready and make_private(self.path.parent):
                logger.warning("the hub in %s was open to other users: it is closed to them now", self.path.parent)
        except OSError as error:
            raise StoreError(
                f"the hub's folder {self.path.parent} cannot be used ({error.strerror})", "set KHUB_HOME to another one"
            ) from error
        try:
            connection = sqlite3.connect(
                self.path, timeout=BUSY_TIMEOUT_S, isolation_level=None, check_same_thread=False
            )
            connection.row_factory = sqlite3.Row
            write_ahead(connection, BUSY_TIMEOUT_S)
            connection.execute("PRAGMA synchronous=NORMAL")
            connection.execute("PRAGMA secure_delete=ON")
            if not self._ready:
                self._prepare(connection)
                self._ready = True
        except sqlite3.DatabaseError as error:
            raise self._unusable(error) from error
        return connection

    def _prepare(self, connection: sqlite3.Connection) -> None:
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        if version > SCHEMA_VERSION:
            raise StoreError(
                f"the catalog {self.path} was made by a newer version (schema {version}, known here: {SCHEMA_VERSION})",
                "update knowledge-hub",
                code="store_newer",
            )
        if 0 < version < SCHEMA_VERSION:
            _upgrade(connection)
        if version < SCHEMA_VERSION:
            _make_tables(connection)

    def _unusable(self, error: sqlite3.DatabaseError) -> StoreError:
        return StoreError(
            f"the catalog {self.path} cannot be used ({error})",
            "restore it from a backup, or move it away and ingest the documents again",
        )


def _empty() -> sqlite3.Connection:
    """Return a catalog that holds nothing, in memory."""
    connection = sqlite3.connect(":memory:", isolation_level=None)
    connection.row_factory = sqlite3.Row
    _make_tables(connection)
    return connection


def _make_tables(connection: sqlite3.Connection) -> None:
    schema = "".join(map(_sql, SCHEMAS))
    connection.executescript(f"BEGIN IMMEDIATE;{schema}PRAGMA user_version={SCHEMA_VERSION};COMMIT;")


def _upgrade(connection: sqlite3.Connection) -> None:
    """Give the tables of an earlier version the columns of this one; another process may have been faster."""
    connection.execute("BEGIN IMMEDIATE")
    with connection:
        if connection.execute("PRAGMA user_version").fetchone()[0] == 1:
            for statement in FROM_VERSION_1:
                connection.execute(statement)
            connection.execute("PRAGMA user_version=2")
        if "tokens" not in {column["name"] for column in connection.execute("PRAGMA table_info(chunks)")}:
            connection.execute(ADD_TOKENS)


def _sql(name: str) -> str:
    return resources.files("khub.components.catalog").joinpath(name).read_text(encoding="utf-8")
