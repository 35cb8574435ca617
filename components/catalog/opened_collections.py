"""Collections as a reader sees them."""

from typing import Any

from khub.components.catalog.access import access_levels, caller
from khub.components.catalog.collections import Collections
from khub.components.catalog.database import Database
from khub.components.catalog.filters import document_access_clause


class OpenedCollections(Collections):
    """The collections that a caller has, and of which its levels open a document; no message tells of others.

    Where nothing restricts it, all of them. Every look-up raises `FilterError` where `$KHUB_ACCESS` names no level.
    """

    def __init__(self, database: Database) -> None:
        super().__init__(database)
        self._database = database

    def names(self) -> list[str]:
        """Return the names, sorted."""
        own = caller().collections
        names = super().names() if access_levels() is None else self._named("TRUE", ())
        return names if own is None else [name for name in names if name in own]

    def exists(self, name: str) -> bool:
        """Say whether there is such a collection."""
        own = caller().collections
        if own is not None and name not in own:
            return False
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
