"""The catalog as one SQLite file, and the connections to it."""

import contextlib
import logging
import os
import sqlite3
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from khub.components.catalog.database import SCHEMA_VERSION, Database
from khub.components.catalog.migrate import FIRST as FIRST_MIGRATED
from khub.components.catalog.migrate import steps
from khub.components.catalog.schema import tables_of
from khub.components.disk_full import DiskFullError, told_when_full
from khub.components.errors import StoreError
from khub.components.private_files import make_private, private_file
from khub.components.write_ahead import write_ahead

logger = logging.getLogger(__name__)

# In version 1, `page` was the first page of a chunk, not the one with most of its text. Without a recipe, a file with
# pages counts as changed, so that the next ingest reads it again. Pictures came with version 3, originals with 4,
# duplicates with 5, the tokens of chunks with 6, jobs with 7, left indexes, prints and vectors of pictures with 8; from
# 9 on `migrations` says what changed.
FROM_VERSION_1 = (
    "ALTER TABLE chunks ADD COLUMN page_first INTEGER",
    "UPDATE chunks SET page_first = page",
    "UPDATE documents SET recipe = NULL WHERE pages IS NOT NULL",
)
ADD_TOKENS = "ALTER TABLE chunks ADD COLUMN tokens BLOB"
DRAFT = "moving.sqlite3"
BUSY_TIMEOUT_S = 60.0
IDLE_CONNECTIONS = 8


class SqliteDatabase(Database):
    """The catalog's file: write-ahead log, a small pool of connections, explicit transactions.

    Threads come and go here (see `IdleThreads`), so connections are lent and not bound to a thread.

    :param path: the SQLite file; it and its folder are made by the first transaction. Until then it reads as empty.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.place = str(path.parent)
        self.to_empty = f"move {path}* away if it is no longer wanted"
        self._idle: list[sqlite3.Connection] = []
        self._lock = threading.Lock()
        self._ready = False

    def exists(self) -> bool:
        """Say whether the file is there."""
        return self.path.is_file()

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

    def draft(self) -> "SqliteDatabase":
        """Return the file beside this one that becomes it when it is whole."""
        return SqliteDatabase(self.path.with_name(DRAFT))

    def adopt_draft(self) -> None:
        """Let the draft take the place of the file.

        :raises StoreError: if that holds a hub.
        """
        self.require_empty()
        self.close()
        draft = self.draft()
        draft.checkpoint()
        draft.close()  # the log goes with the last connection
        if draft._has_log():
            raise StoreError(f"another process has {draft.path} open", "end it, and try again", code="lock_held")
        for log in ("-wal", "-shm"):  # of an empty catalog: it must not be taken for the draft's
            self.path.with_name(f"{self.path.name}{log}").unlink(missing_ok=True)
        draft.path.replace(self.path)

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
        if version == 0:
            _make_tables(connection)
        elif version < SCHEMA_VERSION:
            self._keep_copy(connection, version)
            self._change(connection, SCHEMA_VERSION)

    def forget_copies(self) -> None:
        """Delete what was copied before an upgrade: it would hold what is being deleted."""
        for version in range(1, SCHEMA_VERSION):
            copy = self._copy_of(version)
            if not copy.exists():
                continue
            copy.unlink(missing_ok=True)
            logger.warning("%s is deleted, since it holds what has been deleted from the hub", copy)

    def change_version(self, version: int) -> None:
        """Bring the tables to a version, from 8 on: back, for an earlier release of the hub."""
        with self._lent(reading=False) as connection:
            self._change(connection, version)
        self._ready = False
        self.close()

    def _copy_of(self, version: int) -> Path:
        return self.path.with_name(f"catalog-{version}.sqlite3")

    def _keep_copy(self, connection: sqlite3.Connection, version: int) -> None:
        """Copy the file as it is before the first process changes its tables."""
        copy = self._copy_of(version)
        if copy.exists():
            return
        unfinished = copy.with_name(f"{copy.name}.{os.getpid()}-{threading.get_ident()}")
        private_file(unfinished)
        try:
            with contextlib.closing(sqlite3.connect(unfinished)) as target:
                connection.backup(target)
            unfinished.replace(copy)
        finally:
            unfinished.unlink(missing_ok=True)
        logger.warning("the catalog %s is brought to version %s; %s is as it was", self.path, SCHEMA_VERSION, copy)

    def _change(self, connection: sqlite3.Connection, after: int) -> None:
        connection.execute("BEGIN IMMEDIATE")
        try:
            before = connection.execute("PRAGMA user_version").fetchone()[0]  # another process may have been faster
            if before < FIRST_MIGRATED:
                _upgrade(connection, before)
            if before != after:
                _run(connection, steps("sqlite", max(before, FIRST_MIGRATED), after))
                connection.execute(f"PRAGMA user_version={after}")
            connection.execute("COMMIT")
        except BaseException:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise

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
    tables = tables_of("sqlite")
    connection.executescript(f"BEGIN IMMEDIATE;{tables}PRAGMA user_version={SCHEMA_VERSION};COMMIT;")


def _upgrade(connection: sqlite3.Connection, version: int) -> None:
    """Give the tables of a version without migrations the columns and tables of the first with."""
    if version == 1:
        for statement in FROM_VERSION_1:
            connection.execute(statement)
    if "tokens" not in {column["name"] for column in connection.execute("PRAGMA table_info(chunks)")}:
        connection.execute(ADD_TOKENS)
    _run(connection, tables_of("sqlite"))


def _run(connection: sqlite3.Connection, script: str) -> None:
    """Run statements within a transaction, which `executescript` would end."""
    statement = ""
    for line in script.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            connection.execute(statement)
            statement = ""
