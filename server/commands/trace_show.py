"""`khub trace show`."""

import json
from collections.abc import Iterator
from typing import Annotated, Any

import typer

from khub.components.errors import KhubError
from khub.server.commands.options import JsonOption
from khub.server.commands.trace_list import local_time, subject
from khub.server.remote.chosen import chosen_service
from khub.server.terminal import write_json, write_line, write_table
from khub.server.traces.stage_record import StageRecord
from khub.server.traces.timeline import entries, hits
from khub.server.traces.trace_record import TraceRecord

SHORT_ID = 8


def trace_show(
    context: typer.Context,
    trace_id: Annotated[str, typer.Argument(metavar="ID", help="The trace's id, or the start of it.")],
    as_json: JsonOption = False,
) -> None:
    """Show the stages of a run: how long each took, what it found, and what it says of itself."""
    if (service := chosen_service(context)) is not None:
        from khub.server.remote.traces import find_trace as find_there

        record = find_there(service, trace_id)
    else:
        record = _found_here(trace_id)
    if as_json:
        write_json(record)
    else:
        _show(record)


def _found_here(trace_id: str) -> TraceRecord:
    from khub.server.reads.opened_record import as_far_as_opened
    from khub.server.traces.index import find_trace

    record = find_trace(trace_id)
    if record is None:
        raise KhubError(f"there is no trace {trace_id!r}", "see them with: khub trace list", code="trace_unknown")
    return as_far_as_opened(record)


def _show(record: TraceRecord) -> None:
    totals = record.get("totals") or {}
    warm_up = f" (warm-up {totals['warm_up_ms']:.0f} ms)" if "warm_up_ms" in totals else ""
    write_line(f"{record.get('trace_id')}  {local_time(record.get('time', ''))}  {totals.get('ms', 0):.0f} ms{warm_up}")
    write_line(f"{record.get('kind')} by graph {record.get('graph')!r} in collection {record.get('collection')!r}")
    if parent := record.get("parent"):
        write_line(f"part of trace {parent.get('trace_id')}, asked by span {parent.get('span_id')}")
    write_line(subject(record))
    for entry in record.get("degraded") or []:
        write_line(f"degraded: {entry.get('stage')}: {entry.get('reason', '')}")
    if record.get("error"):
        write_line(f"error: {record['error']}")
    write_line()
    rows = [row for stage in record.get("stages") or [] for row in _rows(stage)]
    write_table(("stage", "method", "start ms", "ms", "hits", "details"), rows, right=("start ms", "ms", "hits"))


def _rows(stage: StageRecord, depth: int = 0) -> Iterator[tuple[Any, ...]]:
    details = dict(stage.get("details") or {})
    parts = details.pop("spans", [])
    name = "  " * depth + str(stage.get("name"))
    times = (f"{stage.get('start_ms', 0):.1f}", f"{stage.get('ms', 0):.1f}")
    yield name, stage.get("method"), *times, hits(stage), _said(stage, details)
    for part in parts:
        yield from _rows(part, depth + 1)


def _said(stage: StageRecord, details: dict[str, Any]) -> str:
    """Return what a stage says of itself, as `key=value`: error, its leg's reason, its own details."""
    said = [f"error: {stage['error']}"] if stage.get("error") else []
    if stage.get("unfinished"):
        said.append("did not end")
    output = stage.get("output") or {}
    said += [f"degraded: {entry.get('reason')}" for entry in entries(output.get("degraded"))]
    leg = output.get("leg") or {}
    told = {key: value for key, value in leg.items() if key not in ("name", "used", "hits") and value != ""}
    if leg.get("used") is False:
        said.append("not used")
    said += [f"{key}={_short(value)}" for key, value in {**told, **details}.items()]
    return ", ".join(said)


def _short(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.4g}"
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
