"""The trace of the run that made a document."""

from datetime import datetime, timedelta
from itertools import islice
from typing import Any

from server.traces.log import records

LOOKED_AT = 3000
"""So many of the newest traces are looked at."""


def ingest_trace_of(row: dict[str, Any]) -> str | None:
    """Return the id of the trace of a document's ingest, if the caller may know it and it is not too long ago.

    A trace names a few of its files alone: it is the one during which the document came in.

    :param row: of the document, from the catalog.
    """
    if not row["ingested_at"]:
        return None
    ingested = datetime.fromisoformat(row["ingested_at"])
    for record in islice(records(), LOOKED_AT):
        if record.get("kind") != "ingest" or record.get("collection") != row["collection"]:
            continue
        begun = datetime.fromisoformat(record["time"])
        if begun <= ingested <= begun + timedelta(milliseconds=record["totals"]["ms"]):
            return str(record["trace_id"])
        if begun < ingested - timedelta(days=1):
            return None
    return None
