"""`khub reindex`."""

import time
from typing import TYPE_CHECKING, Annotated

import typer

from khub.server.commands.ingest_report import show_result, shown_progress, tell_degraded, tell_failed
from khub.server.commands.options import CollectionOption, JsonOption
from khub.server.library.reindex_result import ReindexResult
from khub.server.terminal import count, tell, write_json, write_line

if TYPE_CHECKING:
    from khub.server.library.collections import Reindexed


def reindex_collection(
    collection: CollectionOption = None,
    graph: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Graph of kind 'ingest' whose embedder, store and enrichment stages are taken; otherwise embedder and "
            "store of 'ingest'.",
            show_default=False,
        ),
    ] = None,
    read: Annotated[
        bool, typer.Option("--read-again", help="Read the files again, too: with the readers of this version.")
    ] = False,
    types: Annotated[
        list[str] | None,
        typer.Option(
            "--type", metavar="TYPE", help="With --read-again, files of this type or ending alone; may be repeated."
        ),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Embed a collection anew from its stored text; it answers from the old indexes until the new ones are whole.

    Vectors that the graph's embedder has made before are kept: a move to another store embeds nothing. What lies in the
    old store is deleted.

    With --read-again, files are read again in place of that, as by khub ingest; chunks that stay the same keep their
    vectors. Documents whose file is gone stay as they are.

    With --graph, the stored chunks then go through the stages between that graph's splitter and embedder, too, but for
    documents that have. No file is read again. Stopped half-way, it goes on when it is started again, and where a model
    did not answer, only that is asked again.

    Example: khub reindex --collection work --graph more/ingest_llm

    Example: khub reindex --read-again --type pdf
    """
    from khub.server.commands.progress import progress, speed
    from khub.server.library.collections import reindex
    from khub.server.traces.app_log import configure_logging

    configure_logging()
    if types and not read:
        from khub.components.errors import OptionError

        raise OptionError("--type says which files are read again", "add --read-again")
    if read:
        _read_again(collection, types or [], graph or "ingest", as_json)
        return
    started = time.monotonic()
    with progress("reindex", "chunks") as report:

        def on_progress(now: "Reindexed") -> None:
            pages = speed(now.pages, "pages", time.monotonic() - started)
            written = f"{now.written:,} written" if now.written else ""
            report(now.done, now.total, ", ".join(filter(None, [pages, written])), now.kept)

        result = reindex(collection, graph, on_progress)
    _tell_troubles(result)
    if as_json:
        write_json(result)
    else:
        write_line(_summary(result))
    if result.get("failed"):
        raise typer.Exit(1)


def _read_again(collection: str | None, types: list[str], graph: str, as_json: bool) -> None:
    from khub.components.catalog.catalog import open_catalog
    from khub.server.jobs.command_jobs import command_job
    from khub.server.library.read_again import read_again

    name = open_catalog().collections.resolve(collection)
    done = command_job("khub reindex", "ingest", name, graph)
    with done as job, shown_progress("read again", "files") as on_progress:
        job.result = result = read_again(name, types, graph, job.noting(on_progress))
    show_result(result, as_json)


def _tell_troubles(result: ReindexResult) -> None:
    for line in result.get("left", []):
        tell(line, "the collection has moved; khub doctor --repair deletes the rest once that store can be reached")
    tell_degraded(result.get("degraded", []), "reindex again")
    for source in result.get("overtaken", []):
        tell(source, "ingested anew or deleted meanwhile, and left as it is", "reindex again")
    tell_failed(result.get("failed", []))


def _summary(result: ReindexResult) -> str:
    said = f"{result['collection']}: {count(result['chunks'], 'chunk')} indexed by graph {result['graph']!r}"
    if not result.get("stages") or not (result["enriched"] or result["failed"]):
        return said
    amount = f"{count(len(result['enriched']), 'document')} went through {', '.join(result['stages'])}"
    return f"{said}, {amount}, {len(result['failed']):,} failed"
