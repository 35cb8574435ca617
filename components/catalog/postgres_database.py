"""The catalog in PostgreSQL: the same statements, one write transaction at a time, a pool of connections."""

import contextlib
import contextvars
import functools
import hashlib
import threading
import time
import weakref
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import psycopg
from psycopg import errors
from psycopg.adapt import Buffer
from psycopg.conninfo import conninfo_to_dict
from psycopg.types.numeric import FloatLoader
from psycopg.types.string import StrDumper
from psycopg_pool import ConnectionPool, PoolTimeout

from khub.components.catalog.database import OCCUPIED, SCHEMA_VERSION, Database, LockHeldError
from khub.components.catalog.migrate import steps
from khub.components.catalog.postgres_draft import DRAFT, strange_tables, take_place
from khub.components.catalog.postgres_row import Row, named_rows
from khub.components.catalog.schema import sql, tables_of
from khub.components.catalog.transaction import Cursor
from khub.components.errors import StoreError

SCHEMA = "khub"
CONNECTIONS = 8
CONNECT_S = 5.0
KEPT_ALIVE = (
    "-c tcp_keepalives_idle=10",
    "-c tcp_keepalives_interval=5",
    "-c tcp_keepalives_count=4",
)
"""The server sees within half a minute that a machine is gone without a word, and gives its locks to others."""
CLOCK_OFF_S = 300.0
ROWS_AT_ONCE = 1000
WRITER = 0x6B687562
"""Name of the lock that the one writer holds for as long as its transaction."""
_held: contextvars.ContextVar[tuple[psycopg.Connection[Any], ...]] = contextvars.ContextVar("held", default=())
_databases: "weakref.WeakSet[PostgresDatabase]" = weakref.WeakSet()


def close_all() -> None:
    """Close the connections of this process."""
    for database in list(_databases):
        database.close()


class _Text(StrDumper):
    """Text as the type TEXT, which functions are told apart by; without NUL, which no text there may hold."""

    def dump(self, obj: str) -> Buffer | None:
        return super().dump(obj.replace("\0", "") if "\0" in obj else obj)


class PostgresDatabase(Database):
    """A schema of a PostgreSQL database: its tables are made by the first transaction.

    :param url: `postgresql://…`, with a password or, better, without (PGPASSWORD, PGPASSFILE).
    :param schema: its name.
    """

    shared = True
    to_empty = f"name another database, or drop the schema {SCHEMA} there if it is no longer wanted"

    def __init__(self, url: str, schema: str = SCHEMA) -> None:
        self._url = url
        self._schema = schema
        self.place = _shown(url)
        self._lock = threading.Lock()
        self._pool: ConnectionPool[psycopg.Connection[Row]] | None = None
        self._ready = False
        _databases.add(self)

    def exists(self) -> bool:
        """Say whether the tables are there."""
        if not self._ready:
            with self._lent() as connection:
                version = self._version(connection)
                self._compare_clocks(connection)
                if version is not None and version < SCHEMA_VERSION:
                    self._change(connection, SCHEMA_VERSION)
                self._ready = version is not None
        return self._ready

    def rows(self, sql: str, values: Sequence[Any] = ()) -> list[Row]:
        """Return all rows of a SELECT."""
        with self._reading() as connection:
            return [] if connection is None else connection.execute(_translated(sql), values).fetchall()

    def row(self, sql: str, values: Sequence[Any] = ()) -> Row | None:
        """Return the first row of a SELECT, or None."""
        with self._reading() as connection:
            return None if connection is None else connection.execute(_translated(sql), values).fetchone()

    def stream(self, sql: str, values: Sequence[Any] = ()) -> Iterator[Row]:
        """Yield the rows of a SELECT one by one, from one snapshot, without holding them all in memory."""
        with self._reading() as connection:
            if connection is None:
                return
            with connection.transaction(), connection.cursor("rows") as cursor:
                cursor.itersize = ROWS_AT_ONCE
                yield from cursor.execute(_translated(sql), values)

    @contextlib.contextmanager
    def transaction(self) -> Iterator["_Transaction"]:
        """Hold the one write transaction; everything in the block is kept, or nothing."""
        with self._lent() as connection:
            if not self.exists():
                self._make(connection)
                self._ready = True
            with self._writing(connection):
                yield _Transaction(connection)

    def change_version(self, version: int) -> None:
        """Bring the tables to a version: back, for an earlier release of the hub."""
        with self._lent() as connection:
            self._change(connection, version)
        self._ready = False

    @contextlib.contextmanager
    def lock(self, name: str, wait: bool = True) -> Iterator[None]:
        """Hold a lock that every machine knows; it goes with the connection that holds it.

        Where that breaks, no transaction of the block begins any more: somebody else may hold the lock by then.

        :raises LockHeldError: if it is held elsewhere, and nobody wants to wait.
        """
        key = int.from_bytes(hashlib.blake2b(f"{SCHEMA}:{name}".encode(), digest_size=8).digest(), signed=True)
        with self._connected() as connection:
            try:
                if wait:
                    connection.execute("SELECT pg_advisory_lock(%s)", (key,))
                elif not connection.execute("SELECT pg_try_advisory_lock(%s)", (key,)).fetchone()[0]:  # type: ignore[index]
                    raise LockHeldError(f"{name} is held by another machine", "try again when it has finished")
            except psycopg.OperationalError as error:
                raise self._unusable(error) from error
            token = _held.set((*_held.get(), connection))
            try:
                yield
            finally:
                _held.reset(token)
                with contextlib.suppress(
                    psycopg.OperationalError
                ):  # else the server does it when it sees that it ended
                    connection.execute("SELECT pg_advisory_unlock(%s)", (key,))

    def checkpoint(self) -> None:
        """Do nothing: PostgreSQL uses room anew by itself."""

    def draft(self) -> "PostgresDatabase":
        """Return the schema beside this one that becomes it when it is whole."""
        return PostgresDatabase(self._url, DRAFT)

    def adopt_draft(self) -> None:
        """Let the draft take the place of the schema.

        :raises StoreError: if that holds a hub.
        """
        with self._lent() as connection, self._writing(connection):
            is_made = self._version_now(connection) is not None
            if is_made and connection.execute(OCCUPIED.encode()).fetchone() is not None:
                raise self._occupied()
            if is_made and (strange := strange_tables(connection, self._schema)):
                raise StoreError(
                    f"schema {self._schema} of {self.place} holds {', '.join(strange)}, which would go with it",
                    "put it elsewhere",
                    code="store_occupied",
                )
            try:
                take_place(connection, self._schema, is_made)
            except psycopg.Error as error:  # it is another user's, or holds what is not the hub's
                raise self._unusable(error) from error
        self.close()

    def close(self) -> None:
        """Close the connections."""
        with self._lock:
            pool, self._pool = self._pool, None
        if pool is not None:
            pool.close()

    @contextlib.contextmanager
    def _reading(self) -> Iterator["psycopg.Connection[Row] | None"]:
        """Lend a connection; None while there are no tables to read."""
        if not self.exists():
            yield None
            return
        with self._lent() as connection:
            yield connection

    @contextlib.contextmanager
    def _lent(self) -> Iterator["psycopg.Connection[Row]"]:
        try:
            with self._opened().connection(CONNECT_S) as connection:
                yield connection
        except (PoolTimeout, psycopg.OperationalError) as error:
            raise self._unusable(error) from error

    def _opened(self) -> "ConnectionPool[psycopg.Connection[Row]]":
        with self._lock:
            if self._pool is None:
                self._connected().close()
                self._pool = ConnectionPool(
                    self._url,
                    connection_class=psycopg.Connection[Row],
                    kwargs={"autocommit": True, "row_factory": named_rows, "options": f"-c search_path={self._schema}"},
                    min_size=0,
                    max_size=CONNECTIONS,
                    timeout=CONNECT_S,
                    configure=_configure,
                    check=ConnectionPool.check_connection,
                    open=True,
                )
            return self._pool

    def _connected(self) -> psycopg.Connection[Any]:
        """Connect without the pool, which would say no more than that it waited in vain."""
        try:
            return psycopg.connect(
                self._url, autocommit=True, connect_timeout=round(CONNECT_S), options=" ".join(KEPT_ALIVE)
            )
        except psycopg.Error as error:
            raise self._unusable(error) from error

    def _version(self, connection: "psycopg.Connection[Row]") -> int | None:
        """Return the version of the tables; None if there are none.

        :raises StoreError: if they are of a newer version.
        """
        try:
            row = connection.execute("SELECT number FROM catalog_version").fetchone()
        except errors.UndefinedTable:
            return None
        version: int | None = None if row is None else row[0]
        if version is not None and version > SCHEMA_VERSION:
            raise StoreError(
                f"the catalog in {self.place} was made by a newer version (schema {version}, known here: "
                f"{SCHEMA_VERSION})",
                "update knowledge-hub",
                code="store_newer",
            )
        return version

    def _compare_clocks(self, connection: "psycopg.Connection[Row]") -> None:
        """Refuse a machine by whose clock jobs would come in the wrong order, and tokens end at the wrong time.

        :raises StoreError: if its clock is off.
        """
        row = connection.execute("SELECT extract(epoch FROM clock_timestamp())").fetchone()
        off_s = time.time() - (0 if row is None else row[0])
        if abs(off_s) > CLOCK_OFF_S:
            raise StoreError(
                f"the clock of this machine is {abs(off_s):.0f} s {'ahead of' if off_s > 0 else 'behind'} that of the "
                f"database {self.place}",
                "set the one that is wrong, for example by NTP",
                code="clock_off",
            )

    def _make(self, connection: "psycopg.Connection[Row]") -> None:
        """Make the tables, unless another process is faster."""
        with self._writing(connection):
            if self._version_now(connection) is not None:
                return
            connection.execute(f"CREATE SCHEMA IF NOT EXISTS {self._schema}")
            for text in (sql("postgres.sql"), tables_of("postgresql")):
                connection.execute(text.encode())
            connection.execute("CREATE TABLE catalog_version (number INTEGER NOT NULL)")
            connection.execute("INSERT INTO catalog_version VALUES (%s)", (SCHEMA_VERSION,))

    def _change(self, connection: "psycopg.Connection[Row]", after: int) -> None:
        with self._writing(connection):
            before = self._version_now(connection)
            if before is None or before == after:
                return
            connection.execute(steps("postgresql", before, after).encode())
            connection.execute("UPDATE catalog_version SET number = %s", (after,))

    @contextlib.contextmanager
    def _writing(self, connection: "psycopg.Connection[Row]") -> Iterator[None]:
        for held in _held.get():
            held.execute("SELECT 1")
        with connection.transaction():
            connection.execute("SELECT pg_advisory_xact_lock(%s)", (WRITER,))
            yield

    def _version_now(self, connection: "psycopg.Connection[Row]") -> int | None:
        """Return the version within a transaction, which a missing table would end."""
        there = connection.execute("SELECT to_regclass(%s)", (f"{self._schema}.catalog_version",)).fetchone()
        return self._version(connection) if there is not None and there[0] is not None else None

    def _unusable(self, error: Exception) -> StoreError:
        return StoreError(
            f"the database {self.place} cannot be used ({' '.join(str(error).split())[:200]})",
            "see that PostgreSQL runs there, and that KHUB_DATABASE_URL names user, password and database",
            code="store_unreachable",
        )


class _Transaction:
    def __init__(self, connection: "psycopg.Connection[Row]") -> None:
        self._connection = connection

    def execute(self, sql: str, values: Sequence[Any] = (), /) -> Cursor:
        """Run a statement."""
        found: Cursor = self._connection.execute(_translated(sql), values)
        return found

    def executemany(self, sql: str, rows: Iterable[Sequence[Any]], /) -> None:
        """Run a statement once for each row of values."""
        with self._connection.cursor() as cursor:
            cursor.executemany(_translated(sql), rows)


@functools.lru_cache(maxsize=1024)
def _translated(sql: str) -> bytes:
    """Return a statement with the marks for values that psycopg knows."""
    return sql.replace("%", "%%").replace("?", "%s").encode()


def _configure(connection: "psycopg.Connection[Row]") -> None:
    connection.adapters.register_dumper(str, _Text)
    connection.adapters.register_loader("numeric", FloatLoader)


def _shown(url: str) -> str:
    """Return an address as messages may have it."""
    try:
        parts = conninfo_to_dict(url)
    except psycopg.Error as error:
        raise StoreError(
            "KHUB_DATABASE_URL is no address of a database",  # what is wrong may quote a password
            "write it like postgresql://khub@db.example/khub",
            code="setting_invalid",
        ) from error
    return " ".join(f"{key}={parts[key]}" for key in ("host", "port", "dbname", "user") if parts.get(key))
