"""All rows of a table, as one database gives them and another one takes them."""

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from khub.components.catalog.database import Database
from khub.components.catalog.schema import Table

DIGEST_BYTES = 16


def rows_of(database: Database, table: Table) -> Iterator[tuple[Any, ...]]:
    """Yield the rows, in their order where they have one; no text has a NUL, which PostgreSQL would not take."""
    order = " ORDER BY rowid" if table.ordered else ""
    for row in database.stream(f"SELECT {_names(table)} FROM {table.name}{order}"):
        yield tuple(value.replace("\0", "") if isinstance(value, str) else value for value in row)


def count_of(database: Database, table: Table) -> int:
    """Return how many rows there are."""
    row = database.row(f"SELECT COUNT(*) FROM {table.name}")
    return 0 if row is None else int(row[0])


def write_rows(database: Database, table: Table, rows: Iterable[Sequence[Any]]) -> None:
    """Put rows in the place of those that are there: all of them, or nothing is changed."""
    marks = ",".join("?" * len(table.columns))
    with database.transaction() as connection:
        connection.execute(f"DELETE FROM {table.name}")
        connection.executemany(f"INSERT INTO {table.name} ({_names(table)}) VALUES ({marks})", rows)


def digest_of(table: Table, rows: Iterable[Sequence[Any]]) -> int:
    """Return what is the same for the same rows, and in the same order where they have one."""
    total: int = 0
    for number, row in enumerate(rows):
        place = number if table.ordered else 0
        parts = [value if isinstance(value, bytes) else repr(value).encode() for value in (place, *row)]
        marked = b"".join(b"%d:%b" % (len(part), part) for part in parts)
        total += int.from_bytes(hashlib.blake2b(marked, digest_size=DIGEST_BYTES).digest())
    return total % (1 << 8 * DIGEST_BYTES)


def _names(table: Table) -> str:
    return ", ".join(f'"{name}"' for name in table.columns)
