"""`khub worker`."""

import signal
import threading
from typing import Annotated

import typer

from khub.server.terminal import tell


def work(
    concurrency: Annotated[
        int, typer.Option(metavar="N", min=1, max=64, help="Jobs at a time, each of another collection.")
    ] = 4,
    collection: Annotated[
        list[str] | None, typer.Option("--collection", "-c", metavar="NAME", help="Only jobs of it; again for more.")
    ] = None,
) -> None:
    """Do the jobs that services were asked for, until it is stopped: on as many machines as have the catalog.

    What it was at goes on elsewhere, or at its next start.

    Example: khub worker --concurrency 2
    """
    from khub.components.catalog.catalog import open_catalog
    from khub.server.jobs.runner import Runner
    from khub.server.traces.app_log import configure_logging

    configure_logging()
    catalog = open_catalog()
    catalog.jobs.counts()  # whatever is wrong with the database is told before any work
    stop = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: stop.set())
    with Runner(at_once=concurrency, collections=collection or ()).running():
        of = f"of {', '.join(collection)} " if collection else ""
        tell(f"doing the jobs {of}of the hub in {catalog.database.place}")
        for one in sorted(set(collection or ()) - set(catalog.collections.names())):
            tell(f"there is no collection {one!r} yet")
        while not stop.wait(0.5):
            pass
