"""Rows of PostgreSQL as SQLite has them."""

import functools
from collections.abc import Callable, Sequence
from typing import Any


class Row(tuple[Any, ...]):
    """A row that gives its values by number and by name, as SQLite's does."""

    __slots__ = ()
    names: dict[str, int]

    def __getitem__(self, key: Any) -> Any:
        return super().__getitem__(self.names[key] if isinstance(key, str) else key)

    def keys(self) -> list[str]:
        """Return the names of the columns."""
        return list(self.names)


def named_rows(cursor: Any) -> Callable[[Sequence[Any]], Row]:
    """Return what makes a row of values, for a cursor that has found some."""
    columns = cursor.description or ()
    return _kind(tuple(column.name for column in columns))


@functools.lru_cache(maxsize=1024)
def _kind(names: tuple[str, ...]) -> type[Row]:
    return type("Row", (Row,), {"__slots__": (), "names": {name: number for number, name in enumerate(names)}})
