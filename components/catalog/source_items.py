"""What was read of sources, item by item."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from khub.components.catalog.database import Database
from khub.components.catalog.kept_path import kept_path


@dataclass(frozen=True)
class SourceItem:
    """An item as it was when it was read.

    :param path: where its content lies, from the hub's folder on, with `/`.
    """

    item: str
    path: str
    version: str | None
    url: str
    modified: str | None


class SourceItems:
    """Rows of the table `source_items`.

    :param database: the catalog's.
    """

    def __init__(self, database: Database) -> None:
        self._db = database

    def of_source(self, key: str) -> dict[str, SourceItem]:
        """Return what was read of a source, by id."""
        rows = self._db.rows("SELECT item, path, version, url, modified FROM source_items WHERE key = ?", (key,))
        return {row["item"]: SourceItem(*row) for row in rows}

    def paths(self) -> list[str]:
        """Return where what was read lies, of all sources."""
        return [str(row["path"]) for row in self._db.rows("SELECT path FROM source_items ORDER BY path")]

    def address_of(self, file: str) -> str | None:
        """Return the address of the source that a file is of; None for a file of none that is known.

        :param file: absolute path.
        """
        row = self._db.row(
            "SELECT s.address FROM source_items i JOIN sources s ON s.key = i.key WHERE i.path = ?",
            (kept_path(file) or "",),
        )
        return None if row is None else str(row["address"])

    def put(self, key: str, item: SourceItem) -> None:
        """Write down what was read, in the place of what was known of the item."""
        with self._db.transaction() as connection:
            connection.execute("DELETE FROM source_items WHERE key = ? AND item = ?", (key, item.item))
            connection.execute(
                "INSERT INTO source_items (key, item, path, version, url, modified) VALUES (?, ?, ?, ?, ?, ?)",
                (key, item.item, item.path, item.version, item.url, item.modified),
            )

    def forget(self, key: str, items: Iterable[str]) -> None:
        """Forget items of a source."""
        with self._db.transaction() as connection:
            connection.executemany(
                "DELETE FROM source_items WHERE key = ? AND item = ?", [(key, item) for item in items]
            )

    def said_of(self, files: Sequence[str]) -> Mapping[str, dict[str, Any]]:
        """Return the metadata that sources give to files: `url` and `modified_at`, where they are known.

        :param files: absolute paths, also of files that are of no source.
        """
        said = {}
        for file in files:
            if (path := kept_path(file)) is None:
                continue
            row = self._db.row("SELECT url, modified FROM source_items WHERE path = ?", (path,))
            if row is not None:
                told = {"url": row["url"], "modified_at": row["modified"]}
                said[file] = {key: value for key, value in told.items() if value}
        return said
