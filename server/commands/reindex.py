"""`khub reindex`."""

import time
from typing import TYPE_CHECKING, Annotated

import typer

from server.commands.options import CollectionOption, JsonOption
from server.commands.output import count, write_json, write_line

if TYPE_CHECKING:
    from server.library.collections import Reindexed


def reindex_collection(
    collection: CollectionOption = None,
    graph: Annotated[
        str, typer.Option(metavar="NAME", help="Graph of kind 'ingest' whose embedder and store are taken.")
    ] = "ingest",
    as_json: JsonOption = False,
) -> None:
    """Embed a collection anew from its stored text; it answers from the old indexes until the new ones are whole.

    Stopped half-way, it goes on when it is started again.
    """
    from server.commands.progress import progress, speed
    from server.library.collections import reindex
    from server.traces.app_log import configure_logging

    configure_logging()
    started = time.monotonic()
    with progress("reindex", "chunks") as report:

        def on_progress(now: "Reindexed") -> None:
            pages = speed(now.pages, "pages", time.monotonic() - started)
            report(now.done, now.total, pages, now.kept)

        result = reindex(collection, graph, on_progress)
    if as_json:
        write_json(result)
    else:
        write_line(f"{result['collection']}: {count(result['chunks'], 'chunk')} indexed by graph {result['graph']!r}")
