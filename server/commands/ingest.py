"""`khub ingest`."""

import time
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from server.commands.documents import without_name
from server.commands.options import CollectionOption, JsonOption, refuse_undecodable
from server.commands.output import count, tell, write_json, write_line

if TYPE_CHECKING:
    from server.ingest import IngestResult, Progress


def ingest_files(
    paths: Annotated[list[str], typer.Argument(metavar="PATH…", help="Files and folders.", show_default=False)],
    collection: CollectionOption = None,
    graph: Annotated[str, typer.Option(metavar="NAME", help="Graph of kind 'ingest'.")] = "ingest",
    meta: Annotated[
        list[str] | None, typer.Option(metavar="KEY=VALUE", help="Metadata of all the files; may be repeated.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Read files and folders into a collection; unchanged files are skipped."""
    fields = _fields(meta or [])

    from server.app_log import configure_logging
    from server.commands.progress import progress
    from server.ingest import ingest

    configure_logging()
    started = time.monotonic()
    with progress("ingest", "files") as report:

        def on_progress(now: "Progress") -> None:
            report(now.done, now.total, written_so_far(now, time.monotonic() - started))

        result = ingest(paths, collection, graph, fields or None, on_progress)
    for link in result.links_left:
        tell(link, "link not followed, since it leads out of the folder", "name its target to ingest it")
    for entry in result.degraded:
        tell(f"{entry['stage']} degraded", entry["reason"])
    for failure in result.failed:
        tell(failure["source"], without_name(failure["error"], failure["source"]), failure["remedy"])
    if as_json:
        write_json(asdict(result))
    else:
        write_line(summary(result))
    if result.failed:
        raise typer.Exit(1)


def written_so_far(now: "Progress", seconds: float) -> str:
    """Return `66 chunks, 4.5 pages/s, 1 failed`; pages only where files have some, failures only if there are any."""
    parts = [count(now.chunks, "chunk")]
    if now.pages and seconds > 0:
        parts.append(f"{now.pages / seconds:,.1f} pages/s")
    return ", ".join([*parts, f"{now.failed} failed"] if now.failed else parts)


def summary(result: "IngestResult") -> str:
    """Return what became of the files, in one line."""
    chunks = sum(written["chunks"] for written in result.written)
    parts = [
        f"{len(result.written):,} new or changed ({count(chunks, 'chunk')})",
        f"{len(result.unchanged):,} unchanged",
        f"{len(result.failed):,} failed",
    ]
    if result.passed_over:
        parts.append(f"{result.passed_over:,} passed over (kind not read)")
    if result.links_left:
        parts.append(f"{count(len(result.links_left), 'link')} not followed")
    return f"{result.collection}: {', '.join(parts)} in {result.seconds:.1f} s"


def _fields(pairs: list[str]) -> dict[str, Any]:
    from server.filter_text import typed

    fields: dict[str, Any] = {}
    for pair in pairs:
        key, equals, value = (part.strip() for part in pair.partition("="))
        if not key or not equals:
            raise typer.BadParameter(f"{pair!r} is not KEY=VALUE, as in author=Chen", param_hint="--meta")
        refuse_undecodable(pair)
        fields[key] = typed(value)
    return fields
