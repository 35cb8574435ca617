"""`khub trace list`."""

from datetime import datetime
from enum import StrEnum
from typing import Annotated

import typer

from khub.server.commands.options import JsonOption
from khub.server.remote.chosen import chosen_service
from khub.server.terminal import count, tell, write_json, write_table
from khub.server.traces.trace_record import TraceRecord

SUBJECT_LENGTH = 60


class Kind(StrEnum):
    """Kinds of graphs, and so of traces."""

    QUERY = "query"
    VERIFY = "verify"
    INGEST = "ingest"
    EVALUATE = "evaluate"


def trace_list(  # noqa: PLR0913, PLR0917 - each is an option of the command line
    context: typer.Context,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, metavar="N", help="How many at most.")] = 20,
    kind: Annotated[Kind | None, typer.Option(help="Only these.", show_default=False)] = None,
    collection: Annotated[
        str | None, typer.Option("--collection", "-c", metavar="NAME", help="Only runs in this collection.")
    ] = None,
    graph: Annotated[str | None, typer.Option(metavar="NAME", help="Only runs of this graph.")] = None,
    words: Annotated[
        str, typer.Option(metavar="TEXT", help="All of them stand in the question, the files or the error.")
    ] = "",
    degraded: Annotated[bool | None, typer.Option(help="Whether a stage was replaced.")] = None,
    failed: Annotated[bool | None, typer.Option(help="Whether it ended with an error, or a file of it failed.")] = None,
    abstained: Annotated[bool | None, typer.Option(help="Whether it found that nothing answers.")] = None,
    slower: Annotated[float | None, typer.Option(min=0, metavar="MS", help="It took longer than this.")] = None,
    as_json: JsonOption = False,
) -> None:
    """List the newest runs, newest first.

    Example: khub trace list --kind query --words "travel budget" --slower 500
    """
    from khub.server.traces.index import RunFilter, find_heads

    kinds = (kind.value,) if kind else ()
    wanted = RunFilter(kinds, words, collection, graph, degraded, failed, abstained, slower)
    if (service := chosen_service(context)) is not None:
        from khub.server.remote.traces import find_heads as find_there

        records = find_there(service, wanted, limit)
    else:
        records = find_heads(wanted, limit)
    if as_json:
        write_json({"traces": [{k: v for k, v in record.items() if k != "stages"} for record in records]})
        return
    if not records and wanted != RunFilter():
        tell("no trace is like that", "see all with: khub trace list")
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


def subject(record: TraceRecord) -> str:
    """Return what was asked or read."""
    query = record.get("query")
    if isinstance(query, dict):  # at trace level `minimal` the text is left out
        return count(query.get("chars", 0), "character")
    return query if query is not None else count(record.get("source_count", 0), "file")


def trouble(record: TraceRecord) -> str:
    """Return the error of a run, or that files failed, nothing answered, or stages were replaced by the next best."""
    stages = ", ".join(str(entry.get("stage")) for entry in record.get("degraded") or [])
    failed = record.get("failed_files")
    said = [f"{count(failed, 'file')} failed" if failed else ""]
    said += ["abstained" if record.get("abstained") else "", f"degraded: {stages}" if stages else ""]
    return record.get("error") or ", ".join(filter(None, said))


def _clipped(text: str) -> str:
    return text if len(text) <= SUBJECT_LENGTH else text[: SUBJECT_LENGTH - 1] + "…"
