"""What documents hold beside their text."""

import json
from collections.abc import Sequence
from typing import TypedDict

from khub.components.catalog.database import Database
from khub.components.catalog.filters import access_clause
from khub.components.catalog.images import VISIBLE as PICTURES
from khub.components.catalog.partly_opened import picture_access_clause
from khub.components.catalog.visible_chunks import VISIBLE

RULE = "\n|--"
"""Below the head of a table, without spaces and the colons that align its columns."""
BARE = "REPLACE(REPLACE(c.content, ' ', ''), ':', '')"
AMONG = "IN (SELECT value FROM json_each(?))"


class FoundContent(TypedDict):
    """How much of it there is, as far as it is opened to the caller.

    :ivar pictures: without those of whole pages.
    """

    tables: int
    pictures: int


def found_content(database: Database, doc_ids: Sequence[str]) -> dict[str, FoundContent]:
    """Return what each of the documents holds.

    :raises FilterError: if `$KHUB_ACCESS` is set and names no level.
    """
    asked = json.dumps(list(doc_ids))
    access, levels = access_clause()
    tables = database.rows(
        f"SELECT c.doc_id, SUM(LENGTH({BARE}) - LENGTH(REPLACE({BARE}, ?, ''))) FROM {VISIBLE} "
        f"WHERE c.doc_id {AMONG} AND instr(c.content, '|') > 0 AND {access} GROUP BY c.doc_id",
        (RULE, asked, *levels),
    )
    access, levels = picture_access_clause()
    pictures = database.rows(
        f"SELECT i.doc_id, COUNT(*) FROM {PICTURES} WHERE i.doc_id {AMONG} AND {access} GROUP BY i.doc_id",
        (asked, *levels),
    )
    found = {doc_id: FoundContent(tables=0, pictures=0) for doc_id in doc_ids}
    for doc_id, length in tables:
        found[doc_id]["tables"] = int(length) // len(RULE)
    for doc_id, number in pictures:
        found[doc_id]["pictures"] = int(number)
    return found
