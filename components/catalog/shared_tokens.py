"""Tokens that let somebody in on every machine which has the catalog."""

import json
from typing import Any

from khub.components.catalog.database import Database


class SharedTokens:
    """Rows of the `tokens` table, which is empty where one machine alone has ever had the catalog.

    :param database: the catalog's.
    """

    def __init__(self, database: Database) -> None:
        self._db = database

    def all(self) -> list[dict[str, Any]]:
        """Return what is known of each, in the order in which they were made."""
        return [json.loads(row["record"]) for row in self._db.rows("SELECT record FROM tokens ORDER BY rowid")]

    def add(self, record: dict[str, Any]) -> bool:
        """Keep a token; say whether its name was free."""
        with self._db.transaction() as connection:
            done = connection.execute(
                "INSERT INTO tokens (id, name, record) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
                (record["id"], record["name"], json.dumps(record, ensure_ascii=False)),
            )
            return done.rowcount == 1

    def remove(self, name: str) -> bool:
        """Forget a token by its name or id; say whether there was one."""
        with self._db.transaction() as connection:
            return connection.execute("DELETE FROM tokens WHERE name = ? OR id = ?", (name, name)).rowcount > 0
