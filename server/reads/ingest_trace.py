"""The trace of the run that made a document."""

from datetime import datetime, timedelta

from khub.components.catalog.document_row import DocumentRow
from khub.server.traces.index import RunFilter, find_runs

LOOKED_AT = 3000
"""So many of the newest ingests are looked at."""


def ingest_trace_of(row: DocumentRow) -> str | None:
    """Return the id of the trace of a document's ingest, if the caller may know it and it is not too long ago.

    A trace names a few of its files alone: it is the one during which the document came in.

    :param row: of the document, from the catalog.
    """
    if not row["ingested_at"]:
        return None
    ingested = datetime.fromisoformat(row["ingested_at"])
    for run in find_runs(RunFilter(kinds=("ingest",), collection=row["collection"]), 0, LOOKED_AT).runs:
        begun = datetime.fromisoformat(run.time)
        if begun <= ingested <= begun + timedelta(milliseconds=run.ms):
            return run.trace_id
        if begun < ingested - timedelta(days=1):
            return None
    return None
