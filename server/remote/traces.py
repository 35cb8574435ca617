"""What past runs of a service did."""

import re
from dataclasses import asdict
from typing import Any, cast

from khub.components.errors import KhubError
from khub.server.remote.failures import ServiceError
from khub.server.remote.service import PAGE, Service
from khub.server.traces.index import RunFilter
from khub.server.traces.trace_record import TraceRecord

ID = re.compile("[0-9a-f]{8,32}")
REMEDY = "see them with: khub trace list"
KEPT = ("trace_id", "time", "kind", "graph", "collection", "query", "source_count", "abstained", "error")


def find_heads(service: Service, wanted: RunFilter, limit: int) -> list[TraceRecord]:
    """Return the newest records without their stages, newest first, as `khub.server.traces.index.find_heads` does."""
    asked = {name: value for name, value in asdict(wanted).items() if name != "kinds" and value != ""}
    asked["kind"] = wanted.kinds[0] if wanted.kinds else None
    found: list[TraceRecord] = []
    for page in service.pages("/traces", "traces", min(limit, PAGE), **asked):
        found += map(_record, page["traces"])
        if len(found) >= limit:
            break
    return found[:limit]


def find_trace(service: Service, trace_id: str) -> TraceRecord:
    """Return the record of a run.

    :raises KhubError: if there is none.
    """
    if not ID.fullmatch(trace_id):
        raise KhubError(
            f"{trace_id!r} is no id of a trace, nor 8 characters of its beginning", REMEDY, code="name_invalid"
        )
    try:
        return cast(TraceRecord, service.ask("GET", f"/traces/{trace_id}", "trace_id"))
    except ServiceError as error:
        if error.status != 404:
            raise
        raise KhubError(f"there is no trace {trace_id!r}", REMEDY, code="trace_unknown") from error


def _record(row: dict[str, Any]) -> TraceRecord:
    """Return a row of the list as the log has it."""
    record = {key: row[key] for key in KEPT if row.get(key) is not None}
    if row.get("characters") is not None:
        record["query"] = {"chars": row["characters"]}
    if row.get("failed_files"):
        record["failed_files"] = row["failed_files"]
    if row.get("parent") is not None:
        record["parent"] = {"trace_id": row["parent"]}
    stages = [{"stage": stage} for stage in row.get("degraded_stages") or []]
    return cast(TraceRecord, {**record, "totals": {"ms": row["ms"]}, "degraded": stages})
