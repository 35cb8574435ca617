"""`khub history`."""

from enum import StrEnum
from typing import Annotated, Any, cast

import typer

from khub.components.catalog.job_row import JobRow
from khub.server.commands.documents import shown_source
from khub.server.commands.history_entry import HistoryEntry
from khub.server.commands.options import JsonOption
from khub.server.commands.trace_list import local_time
from khub.server.terminal import tell, write_json, write_table

KINDS = ("ingest", "sync", "source")
NAMED = 2
"""So many sources are named in a line."""


class State(StrEnum):
    """How an ingest ended."""

    FINISHED = "finished"
    FAILED = "failed"
    INTERRUPTED = "interrupted"
    CANCELLED = "cancelled"


def history(
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, max=1000, metavar="N", help="How many at most.")] = 20,
    collection: Annotated[
        str | None, typer.Option("--collection", "-c", metavar="NAME", help="Only ingests into this collection.")
    ] = None,
    state: Annotated[State | None, typer.Option(help="Only those that ended so.", show_default=False)] = None,
    as_json: JsonOption = False,
) -> None:
    """List the ingests of the last 30 days, newest first: by commands, the service and assistants.

    Example: khub history --collection work --state failed
    """
    from khub.server.jobs.known_jobs import known_jobs

    states = (state.value,) if state else ()
    total, rows = known_jobs(states, 0, limit, collection, KINDS) if _there() else (0, [])
    if as_json:
        write_json({"total": total, "ingests": [_as_data(row) for row in rows]})
        return
    if not rows:
        narrowed = collection is not None or state is not None
        tell("no ingest is like that" if narrowed else "there was no ingest in the last 30 days", "khub ingest PATH")
        return
    numbers = ("new", "unchanged", "failed", "removed", "seconds")
    write_table(
        ("time", "by", "collection", "graph", "state", *numbers, "sources", "trouble"),
        [_line(_as_data(row)) for row in rows],
        right=numbers,
    )
    if total > len(rows):
        tell(f"the newest {len(rows):,} of {total:,}", "see more with --limit")


def _there() -> bool:
    from khub.components.catalog.catalog import open_catalog

    return open_catalog().database.exists()


def _as_data(row: JobRow) -> HistoryEntry:
    """Return what is told of an ingest; of its failed files the first ones."""
    from khub.components.catalog.catalog import open_catalog
    from khub.server.jobs.known_jobs import door_of
    from khub.server.jobs.opened_job import as_far_as_opened

    whole = as_far_as_opened(open_catalog().jobs.get(row["job_id"]) or row)
    result = row.get("result") or {}
    sources = whole.get("paths") or ([row["folder"]] if row.get("folder") else [])
    kept = ("job_id", "kind", "state", "collection", "graph", "created_at", "finished_at", "error", "remedy")
    counts = ("written", "unchanged", "failed", "removed", "passed_over", "chunks", "seconds")
    told = {
        **{key: row.get(key) for key in kept},
        "by": door_of(row),
        "sources": sources,
        **{key: result.get(key) for key in counts},
        "failures": result.get("failures", []),
    }
    return cast(HistoryEntry, told)


def _line(about: HistoryEntry) -> tuple[Any, ...]:
    sources = [shown_source(source) for source in about["sources"]]
    more = f" and {len(sources) - NAMED:,} more" if len(sources) > NAMED else ""
    counts = (about[key] for key in ("written", "unchanged", "failed", "removed", "seconds"))
    return (
        local_time(about["created_at"]), about["by"], about["collection"], about["graph"], about["state"], *counts,
        ", ".join(sources[:NAMED]) + more, about["error"] or "",
    )  # fmt: skip
