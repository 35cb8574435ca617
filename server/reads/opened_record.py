"""Whether all that a record of the trace log tells of is opened to the caller, who may have had more rights then."""

from collections.abc import Iterator, Mapping
from typing import Any, cast

from khub.components.catalog.access import access_levels, caller
from khub.server.reads.hub_reads import reader
from khub.server.reads.known_passages import known_passages
from khub.server.traces.rankings import candidates, rankings
from khub.server.traces.stage_record import StageRecord
from khub.server.traces.trace_record import TraceRecord

OF_A_CLOSED_STAGE = ("name", "type", "start_ms", "ms")
"""What is told of a stage whose texts and names are closed."""


def is_opened(record: Mapping[str, Any]) -> bool:
    """Say whether the texts and names in a record may be shown: what it found is there, and opened to the caller."""
    if caller().sees_all and access_levels() is None:
        return True
    passages = [] if record.get("kind") == "ingest" else candidates(rankings(record))
    if len(known_passages(record.get("collection"), passages)) < len(passages):
        return False
    return all(reader().document(doc_id) is not None for doc_id in set(_documents(record.get("stages"))))


def as_far_as_opened(record: TraceRecord) -> TraceRecord:
    """Return a record without what went through its stages, and the names of its files, where these may not be shown.

    What was asked, how long it took and what failed stays: the pages show that, too.
    """
    if is_opened(record):
        return record
    stages = [
        {key: one for key, one in stage.items() if key in OF_A_CLOSED_STAGE} for stage in record.get("stages") or ()
    ]
    kept = cast(TraceRecord, {key: one for key, one in record.items() if key != "sources"})
    return {**kept, "stages": cast(list[StageRecord], stages)}


def _documents(value: Any) -> Iterator[str]:
    """Yield the ids of all documents that are named anywhere."""
    if isinstance(value, dict):
        if isinstance(value.get("doc_id"), str):
            yield value["doc_id"]
        value = list(value.values())
    for part in value if isinstance(value, list) else []:
        yield from _documents(part)
