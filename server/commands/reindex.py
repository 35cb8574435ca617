"""`khub reindex`."""

from typing import Annotated

import typer

from server.commands.options import CollectionOption, JsonOption
from server.commands.output import count, write_json, write_line


def reindex_collection(
    collection: CollectionOption = None,
    graph: Annotated[
        str, typer.Option(metavar="NAME", help="Graph of kind 'ingest' whose embedder and store are taken.")
    ] = "ingest",
    as_json: JsonOption = False,
) -> None:
    """Embed a collection anew from its stored text; it answers from the old indexes until the new ones are whole."""
    from server.app_log import configure_logging
    from server.collections import reindex
    from server.commands.progress import progress

    configure_logging()
    with progress("reindex", "chunks") as report:
        result = reindex(collection, graph, report)
    if as_json:
        write_json(result)
    else:
        write_line(f"{result['collection']}: {count(result['chunks'], 'chunk')} indexed by graph {result['graph']!r}")
