"""`khub trace list`."""

from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any

import typer

from server.commands.options import JsonOption
from server.commands.output import count, tell, write_json, write_table
from server.remote.chosen import chosen_service

SUBJECT_LENGTH = 60


class Kind(StrEnum):
    """Kinds of graphs, and so of traces."""

    QUERY = "query"
    VERIFY = "verify"
    INGEST = "ingest"
    EVALUATE = "evaluate"


def trace_list(
    context: typer.Context,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, metavar="N", help="How many at most.")] = 20,
    kind: Annotated[Kind | None, typer.Option(help="Only these.", show_default=False)] = None,
    as_json: JsonOption = False,
) -> None:
    """List the newest runs, newest first."""
    wanted = kind.value if kind else None
    if (service := chosen_service(context)) is not None:
        from server.remote.traces import read_traces as read_there

        records = read_there(service, limit, wanted)
    else:
        from server.traces.log import read_traces

        records = read_traces(limit, wanted)
    if as_json:
        write_json({"traces": [{k: v for k, v in record.items() if k != "stages"} for record in records]})
        return
    if not records:
        tell("there are no traces yet", "ask something with: khub query TEXT")
        return
    write_table(
        ("id", "time", "kind", "graph", "collection", "ms", "what", "trouble"),
        [
            (
                record.get("trace_id", "")[:8], local_time(record.get("time", "")), record.get("kind"),
                record.get("graph"), record.get("collection"), round((record.get("totals") or {}).get("ms", 0)),
                _clipped(subject(record)), trouble(record),
            )
            for record in records
        ],
        right=("ms",),
    )  # fmt: skip


def local_time(time: str) -> str:
    """Return a UTC time as one of this place, to the second."""
    try:
        return datetime.fromisoformat(time).astimezone().strftime("%Y-%m-%d %H:%M:%S")
    except ValueError:
        return time


def subject(record: dict[str, Any]) -> str:
    """Return what was asked or read."""
    query = record.get("query")
    if isinstance(query, dict):  # at trace level `minimal` the text is left out
        return count(query.get("chars", 0), "character")
    return query if query is not None else count(record.get("source_count", 0), "file")


def trouble(record: dict[str, Any]) -> str:
    """Return the error of a run, or which of its stages were replaced by the next best thing."""
    stages = ", ".join(str(entry.get("stage")) for entry in record.get("degraded") or [])
    return record.get("error") or (f"degraded: {stages}" if stages else "")


def _clipped(text: str) -> str:
    return text if len(text) <= SUBJECT_LENGTH else text[: SUBJECT_LENGTH - 1] + "…"
