"""Collections as a reader sees them."""

from typing import Any

from components.catalog.access import access_levels
from components.catalog.collections import Collections
from components.catalog.database import Database
from components.catalog.filters import document_access_clause


class OpenedCollections(Collections):
    """The collections of which `$KHUB_ACCESS` opens a document; the others do not exist, in no message either.

    Where it is not set, all of them. Every look-up raises `FilterError` where it is set and names no level.
    """

    def __init__(self, database: Database) -> None:
        super().__init__(database)
        self._database = database

    def names(self) -> list[str]:
        """Return the names, sorted."""
        if access_levels() is None:
            return super().names()
        return self._named("TRUE", ())

    def exists(self, name: str) -> bool:
        """Say whether there is such a collection."""
        if access_levels() is None:
            return super().exists(name)
        return bool(self._named("k.name = ?", (name,)))

    def _named(self, clause: str, values: tuple[Any, ...]) -> list[str]:
        access, levels = document_access_clause()
        rows = self._database.rows(
            f"SELECT k.name FROM collections k WHERE {clause} AND EXISTS "
            f"(SELECT 1 FROM documents d WHERE d.collection = k.name AND d.version > 0 AND {access}) ORDER BY k.name",
            (*values, *levels),
        )
        return [row[0] for row in rows]
