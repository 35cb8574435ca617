"""`khub enrich`."""

from typing import TYPE_CHECKING, Annotated

import typer

from server.commands.documents import without_name
from server.commands.ingest_report import tell_degraded
from server.commands.options import CollectionOption, JsonOption, refuse_undecodable
from server.commands.output import count, tell, write_json, write_line
from server.commands.progress import progress

if TYPE_CHECKING:
    from server.library.enrich import EnrichPlan, EnrichResult


def enrich(
    patterns: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[PATH_GLOB…]", help="Files, folders or patterns such as 'manuals/*.md'; all if none is named."
        ),
    ] = None,
    collection: CollectionOption = None,
    graph: Annotated[
        str, typer.Option(metavar="NAME", help="Graph of kind 'ingest' whose enrichment stages are taken.")
    ] = "more/ingest_llm",
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would happen; ask no model.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Send a collection's chunks through a graph's enrichment stages; no file is read again.

    These are the stages between splitter and embedder. Documents that have gone through them are skipped, and of those
    for which a model did not answer only that is asked again.

    Example: khub enrich --collection work --graph more/ingest_llm
    """
    for pattern in patterns or []:
        refuse_undecodable(pattern)

    from server.library.enrich import enrich, plan_enrich
    from server.traces.app_log import configure_logging

    if not dry_run:
        configure_logging()  # it would begin a log
    plan = plan_enrich(collection, graph, patterns or [])
    if dry_run:
        _show_plan(plan, as_json)
        return
    with progress("enrich", "documents") as report:
        result = enrich(plan, lambda done, total, chunks: report(done, total, count(chunks, "chunk")))
    _show_result(result, as_json)


def _show_plan(plan: "EnrichPlan", as_json: bool) -> None:
    if as_json:
        write_json(
            {
                "collection": plan.collection,
                "graph": plan.graph.name,
                "stages": plan.stages,
                "models": plan.models,
                "documents": [document.source for document in plan.waiting],
                "chunks": plan.chunks,
                "pictures": plan.pictures,
                "unchanged": plan.unchanged,
            }
        )
        return
    asked = f"models are asked by {', '.join(plan.models)}" if plan.models else "no model is asked"
    amount = f"{count(plan.chunks, 'chunk')}, {count(plan.pictures, 'picture')}"
    write_line(
        f"{plan.collection}: {count(len(plan.waiting), 'document')} ({amount}) would go through "
        f"{', '.join(plan.stages)} ({asked}), {len(plan.unchanged):,} unchanged; nothing was written"
    )


def _show_result(result: "EnrichResult", as_json: bool) -> None:
    tell_degraded(result.degraded, "enrich again")
    for source in result.overtaken:
        tell(source, "ingested anew or deleted meanwhile, and left as it is", "enrich again")
    for failure in result.failed:
        tell(failure["source"], without_name(failure["error"], failure["source"]), failure["remedy"])
    if as_json:
        from dataclasses import asdict

        write_json(asdict(result))
    else:
        write_line(_summary(result))
    if result.failed:
        raise typer.Exit(1)


def _summary(result: "EnrichResult") -> str:
    chunks = sum(written["chunks"] for written in result.written)
    parts = [
        f"{len(result.written):,} enriched ({count(chunks, 'chunk')})",
        f"{len(result.unchanged):,} unchanged",
        f"{len(result.failed):,} failed",
    ]
    if result.overtaken:
        parts.append(f"{len(result.overtaken):,} changed meanwhile")
    return f"{result.collection}: {', '.join(parts)} by {', '.join(result.stages)} in {result.seconds:.1f} s"
