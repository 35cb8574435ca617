"""`khub sync`."""

from typing import TYPE_CHECKING, Annotated

import typer

from khub.server.commands.confirm_losses import confirm
from khub.server.commands.ingest_report import show_result, shown_progress
from khub.server.commands.options import CollectionOption, JsonOption, NoIgnoreOption
from khub.server.commands.preview import show_preview

if TYPE_CHECKING:
    from khub.server.library.sync import SyncPlan


def sync(
    source: Annotated[
        str | None,
        typer.Argument(
            metavar="[SOURCE]", help="A folder, or an address: web:https://…, git:…, s3://…, imap://…, zip:…"
        ),
    ] = None,
    collection: CollectionOption = None,
    graph: Annotated[str, typer.Option(metavar="NAME", help="Graph of kind 'ingest'.")] = "ingest",
    every_one: Annotated[bool, typer.Option("--all", help="Sync all that sources.yaml names.")] = False,
    options: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=VALUE", help="A setting of the source; may be repeated."),
    ] = None,
    yes: Annotated[
        bool,
        typer.Option(
            "--yes", "-y", help="Do not ask before more than half of its documents, or all of a subfolder, are removed."
        ),
    ] = False,
    no_ignore: NoIgnoreOption = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would happen; write nothing.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Make a collection match a source: what is new or changed comes in, documents whose file is gone go.

    Documents from other places stay as they are. A renamed file keeps its vectors.

    Example: khub sync web:https://docs.example.com/guide/ --collection guide
    """
    from khub.components.sources.address import is_source_address

    if every_one == (source is not None):
        raise typer.BadParameter("name a folder or an address, or give --all alone", param_hint="SOURCE")
    if source is None or is_source_address(source):
        from khub.server.commands.sync_sources import sync_all, sync_source

        if no_ignore:
            raise typer.BadParameter("it is for folders", param_hint="--no-ignore")
        if source is None and (collection or options or graph != "ingest"):
            raise typer.BadParameter("sources.yaml says it of each: leave it out", param_hint="--all")
        if source is None:
            sync_all(yes, dry_run, as_json)
        else:
            sync_source(source, collection, graph, options or [], yes, dry_run, as_json)
        return
    if options:
        raise typer.BadParameter("a folder has no settings", param_hint="--set")

    from khub.server.jobs.command_jobs import command_job
    from khub.server.library.sync import apply_sync, plan_sync
    from khub.server.traces.app_log import configure_logging

    if not dry_run:
        configure_logging()  # it would begin a log
    plan = plan_sync(source, collection, graph, no_ignore)
    if dry_run:
        _preview(plan, as_json)
        return
    if plan.doubtful and not yes:
        confirm(plan)
    done = command_job("khub sync", "sync", plan.collection, plan.graph.name, folder=plan.folder)
    with done as job, shown_progress("sync", "files") as on_progress:
        job.result = result = apply_sync(plan, job.noting(on_progress))
    show_result(result, as_json)


def _preview(plan: "SyncPlan", as_json: bool) -> None:
    from khub.server.library.ingest_preview import preview_sync

    show_preview(preview_sync(plan), as_json, plan.renamed)
