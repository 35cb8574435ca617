"""`khub watch`."""

import logging
import threading
import time
from functools import partial
from typing import Annotated

import typer

from khub.components.errors import KhubError
from khub.server.commands.confirm_losses import losses
from khub.server.commands.ingest_report import summary, tell_troubles
from khub.server.commands.options import CollectionOption, NoIgnoreOption
from khub.server.terminal import tell

logger = logging.getLogger(__name__)


def watch(
    folder: Annotated[str, typer.Argument(metavar="DIR", help="The folder.")],
    collection: CollectionOption = None,
    graph: Annotated[str, typer.Option(metavar="NAME", help="Graph of kind 'ingest'.")] = "ingest",
    every: Annotated[
        float, typer.Option(metavar="SECONDS", min=0.1, help="Time between two looks at the folder.")
    ] = 2.0,
    settle: Annotated[
        float, typer.Option(metavar="SECONDS", min=0.0, help="Time for which nothing may change before it acts.")
    ] = 1.0,
    yes: Annotated[
        bool,
        typer.Option(
            "--yes", "-y", help="Remove documents even where more than half of them, or all of a subfolder, would go."
        ),
    ] = False,
    no_ignore: NoIgnoreOption = False,
) -> None:
    """Keep a collection like a folder, as sync does, until Ctrl-C; a line for each round.

    Example: khub watch manuals --collection work --every 10
    """
    from khub.components.catalog.collections import DEFAULT_COLLECTION
    from khub.server.graphs.extensions import extensions_read_by
    from khub.server.library.known_files import KnownFiles
    from khub.server.library.sync import checked_folder
    from khub.server.library.watch import watch_folder
    from khub.server.traces.app_log import configure_logging

    configure_logging()
    root = str(checked_folder(folder))

    def act(changed: set[str] | None) -> bool:
        try:
            _round(root, collection, graph, yes, no_ignore, changed)
        except KhubError as error:
            _say(error.message, error.remedy)
        except Exception as error:
            # whatever it is, the next change of the folder deserves another attempt
            logger.exception("a round of the watch failed")
            _say(f"{type(error).__name__}: {error}", "the traceback is in the application log")
        else:
            return True
        return False

    known = KnownFiles(root, collection or DEFAULT_COLLECTION)
    read = partial(extensions_read_by, graph)
    watch_folder(root, act, threading.Event(), every, settle, known=known, with_ignored=no_ignore, extensions=read)


def _round(
    folder: str, collection: str | None, graph: str, yes: bool, no_ignore: bool, changed: set[str] | None
) -> None:
    from khub.server.jobs.command_jobs import command_job
    from khub.server.library.sync import apply_sync, plan_sync

    plan = plan_sync(folder, collection, graph, no_ignore)
    done = plan if yes else plan.without_doubtful()
    with command_job("khub watch", "sync", plan.collection, plan.graph.name, folder=plan.folder) as job:
        job.result = result = apply_sync(done, job.noting(), only=changed)
    tell_troubles(result)
    said = f"{losses(plan, plan.lost - done.lost)} are gone and were kept: run khub sync, or watch with --yes"
    _say(summary(result), said if done.lost < plan.lost else "")


def _say(*parts: str) -> None:
    tell(time.strftime("%H:%M:%S"), *parts)
