"""Which documents are as they were when they last came in."""

from collections.abc import Mapping, Sequence
from typing import Any

from khub.components.catalog.catalog import open_catalog


def unchanged_among(records: Sequence[Mapping[str, Any]], recipe: str | None, meta: dict[str, Any]) -> set[str]:
    """Return the `doc_id` of those sources of which nothing has changed since their last successful ingest.

    :param records: with `doc_id` and `sha256`.
    :param recipe: as it is now.
    :param meta: what the user says of them now: a level that is given must hold, too.
    """
    documents, doc_ids = open_catalog().documents, [record["doc_id"] for record in records]
    known = documents.known(doc_ids)
    as_given = documents.having(doc_ids, meta) if meta else set(known)
    return {
        record["doc_id"]
        for record in records
        if known.get(record["doc_id"]) == ("ready", record["sha256"], recipe) and record["doc_id"] in as_given
    }
