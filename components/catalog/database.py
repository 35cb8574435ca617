"""Where the catalog lies: rows are read, and written in transactions, by the same statements in every database.

They are SQL that SQLite and PostgreSQL take for the same thing: `?` stands for a value, a list is handed on as JSON
(`IN (SELECT value FROM json_each(?))`), tables that must be read in this order are joined by CROSS JOIN. What SQLite
has and PostgreSQL has not are functions there (see `postgres.sql`). A toolkit that writes the SQL (SQLAlchemy) would
cost every process .2 s and 27 MB, and every statement a tenth of a millisecond.
"""

import datetime
import json
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from khub.components.catalog.transaction import Transaction
from khub.components.errors import StoreError

SCHEMA_VERSION = 11
_LOWER = {code: code + 32 for code in range(ord("A"), ord("Z") + 1)}


def now() -> str:
    """Return the present time as ISO 8601 in UTC, to the millisecond."""
    return datetime.datetime.now(datetime.UTC).isoformat(timespec="milliseconds")


def ascii_lower(text: str) -> str:
    """Return a text with A to Z in lower case, as the databases' `lower` does it."""
    return text.translate(_LOWER)


def json_text(value: Any) -> str:
    """Return a value as the JSON that a column holds; NUL, which no text of PostgreSQL may hold, is left out."""
    text = json.dumps(value, ensure_ascii=False, default=str)
    if "\\u0000" in text:  # or a backslash before `u0000`, which stays
        text = json.dumps(_without_nul(json.loads(text)), ensure_ascii=False)
    return text


def _without_nul(value: Any) -> Any:
    if isinstance(value, str):
        return value.replace("\0", "")
    if isinstance(value, dict):
        return {_without_nul(key): _without_nul(one) for key, one in value.items()}
    return [_without_nul(one) for one in value] if isinstance(value, list) else value


OCCUPIED = (
    "SELECT 1 FROM collections UNION ALL SELECT 1 FROM tokens "
    "UNION ALL SELECT 1 FROM jobs WHERE state IN ('queued', 'running', 'interrupted') LIMIT 1"
)
"""Finds a row where there is something that would be lost."""


class LockHeldError(StoreError):
    """A lock that was only tried is held by somebody else."""

    code = "lock_held"


class Database(ABC):
    """The catalog's database.

    :ivar place: where it is, as messages have it.
    :ivar to_empty: what to do about a hub in it that is no longer wanted.
    """

    place: str
    to_empty: str
    shared = False
    """Whether other machines have it, too: each has indexes of its own, which follow it."""

    @abstractmethod
    def exists(self) -> bool:
        """Say whether it is there; until the first transaction it need not be, and reads as empty."""

    @abstractmethod
    def rows(self, sql: str, values: Sequence[Any] = ()) -> list[Any]:
        """Return all rows of a SELECT; a row gives its values by number and by name."""

    @abstractmethod
    def row(self, sql: str, values: Sequence[Any] = ()) -> Any:
        """Return the first row of a SELECT, or None."""

    @abstractmethod
    def stream(self, sql: str, values: Sequence[Any] = ()) -> Iterator[Any]:
        """Yield the rows of a SELECT one by one, from one snapshot, without holding them all in memory."""

    @abstractmethod
    def transaction(self) -> AbstractContextManager[Transaction]:
        """Hold the one write transaction; everything in the block is kept, or nothing."""

    def lock(self, name: str, wait: bool = True) -> AbstractContextManager[None]:  # noqa: ARG002
        """Hold a lock that every machine knows, as long as one has any say in it.

        :raises LockHeldError: if it is held elsewhere, and nobody wants to wait.
        """
        return nullcontext()

    @abstractmethod
    def checkpoint(self) -> None:
        """Let room that was given up be used anew, where the database does not do so by itself."""

    def forget_copies(self) -> None:  # noqa: B027 - not every database makes some
        """Delete what was copied before an upgrade: it would hold what is being deleted."""

    @abstractmethod
    def change_version(self, version: int) -> None:
        """Bring the tables to a version, from 8 on: back, for an earlier release of the hub."""

    def require_empty(self) -> None:
        """Let pass a database without a hub.

        :raises StoreError: if there is one.
        """
        if self.row(OCCUPIED) is not None:
            raise self._occupied()

    def _occupied(self) -> StoreError:
        return StoreError(f"there is a hub in {self.place} already", self.to_empty, code="store_occupied")

    @abstractmethod
    def draft(self) -> "Database":
        """Return a database beside this one, which nobody takes for a hub."""

    @abstractmethod
    def adopt_draft(self) -> None:
        """Let the draft, which nobody has open, become this database, in one step.

        :raises StoreError: if this one holds a hub.
        """

    @abstractmethod
    def close(self) -> None:
        """Close the idle connections."""
