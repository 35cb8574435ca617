"""`khub sync`."""

import os
import sys
from typing import TYPE_CHECKING, Annotated

import typer

from khub.components.errors import KhubError
from khub.components.text.hidden_characters import on_one_line
from khub.server.commands.ingest_report import show_result, shown_progress
from khub.server.commands.options import CollectionOption, JsonOption, NoIgnoreOption
from khub.server.commands.preview import show_preview
from khub.server.terminal import count, tell

if TYPE_CHECKING:
    from khub.server.library.sync import SyncPlan

NAMED = 3
"""So many subfolders are named that would lose all their documents."""


def sync(
    folder: Annotated[str, typer.Argument(metavar="DIR", help="The folder.")],
    collection: CollectionOption = None,
    graph: Annotated[str, typer.Option(metavar="NAME", help="Graph of kind 'ingest'.")] = "ingest",
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
    """Make a collection match a folder: files that are new or changed come in, documents whose file is gone go.

    Documents from other places stay as they are. A renamed file keeps its vectors.

    Example: khub sync manuals --collection work
    """
    from khub.server.jobs.command_jobs import command_job
    from khub.server.library.sync import apply_sync, plan_sync
    from khub.server.traces.app_log import configure_logging

    if not dry_run:
        configure_logging()  # it would begin a log
    plan = plan_sync(folder, collection, graph, no_ignore)
    if dry_run:
        _preview(plan, as_json)
        return
    if plan.doubtful and not yes:
        _confirm(plan)
    done = command_job("khub sync", "sync", plan.collection, plan.graph.name, folder=plan.folder)
    with done as job, shown_progress("sync", "files") as on_progress:
        job.result = result = apply_sync(plan, job.noting(on_progress))
    show_result(result, as_json)


def losses(plan: "SyncPlan", number: int) -> str:
    """Return in words how many documents would go, and which subfolders would lose all of theirs."""
    of = f"{number:,} of {count(plan.documents, 'document')} from {on_one_line(plan.folder)!r}"
    if not plan.emptied:
        return of
    named = ", ".join(repr(on_one_line(os.path.relpath(one, plan.folder))) for one in plan.emptied[:NAMED])
    more = f" and {len(plan.emptied) - NAMED:,} more" if len(plan.emptied) > NAMED else ""
    return f"{of} (among them all of {named}{more}, not mounted perhaps)"


def _preview(plan: "SyncPlan", as_json: bool) -> None:
    from khub.server.library.ingest_preview import preview_sync

    show_preview(preview_sync(plan), as_json, plan.renamed)


def _on_terminal() -> bool:
    return sys.stdin.isatty()


def _confirm(plan: "SyncPlan") -> None:
    if not _on_terminal():
        raise KhubError(
            f"{losses(plan, plan.lost)} would be removed from collection {plan.collection!r}",
            "see which by --dry-run, then add --yes",
            code="confirmation_needed",
        )
    if not typer.confirm(
        f"Remove {losses(plan, plan.lost)}, in collection {on_one_line(plan.collection)!r}?", err=True
    ):
        tell("nothing was changed")
        raise typer.Exit(1)
