"""Which fields of metadata the documents of a collection have, as far as a caller may read them."""

import json

from khub.components.catalog.access import ACCESS_FIELD
from khub.components.catalog.database import Database
from khub.components.catalog.filters import access_clause, document_access_clause
from khub.components.catalog.visible_chunks import BY_DOCUMENT


class MetadataFields:
    """Names of fields in the tables `documents` and `chunks`.

    :param database: the catalog's.
    """

    def __init__(self, database: Database) -> None:
        self._db = database

    def of_documents(self, collection: str) -> set[str]:
        """Return the fields that stand in the metadata of documents."""
        clause, values = document_access_clause()
        rows = self._db.rows(
            "SELECT DISTINCT key FROM documents d, json_each(d.meta) "
            f"WHERE d.collection = ? AND d.status <> 'pending' AND {clause}",
            (collection, *values),
        )
        return {row[0] for row in rows} - {ACCESS_FIELD}

    def in_chunk(self, collection: str, name: str) -> bool:
        """Say whether a passage has a field of its own of this name.

        :param name: that `filters.is_key` takes.
        """
        clause, values = access_clause()
        row = self._db.row(
            # whether the letters are there at all is found faster than JSON is read
            f"SELECT 1 FROM {BY_DOCUMENT} AND d.collection = ? AND (instr(c.meta, ?) > 0 OR instr(c.meta, ?) > 0) "
            f"AND json_type(c.meta, ?) IS NOT NULL AND {clause} LIMIT 1",
            (collection, json.dumps(name, ensure_ascii=False), json.dumps(name), f'$."{name}"', *values),
        )
        return row is not None
