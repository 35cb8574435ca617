"""`khub eval pages`: whether query graphs find the pages that answer questions about documents.

khub eval pages LONG-DOCUMENTS --graph query --ingest ingest_fast
"""

from pathlib import Path
from typing import Annotated

import typer

from eval.commands.vary_option import VaryOption


def pages(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A folder with documents/ and questions.jsonl.")],
    graph: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="Query graph; may be repeated.", show_default="query")
    ] = None,
    ingest: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Ingest graph for all of them.", show_default="the one that fits each"),
    ] = None,
    vary: VaryOption = None,
    out: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Where pages.json and pages.md go.", show_default="$KHUB_HOME/eval"),
    ] = None,
    fresh: Annotated[bool, typer.Option("--fresh", help="Do not go on with a run that was stopped.")] = False,
) -> None:
    """Measure which evidence pages are found, and when the graphs abstain; the same command goes on after a stop."""
    from eval.pages.run import Wanted, measure
    from server.commands.output import tell, write_text
    from server.traces.app_log import configure_logging

    configure_logging()
    wanted = Wanted(folder, graph or ["query"], ingest, vary or [])
    text, failed = measure(wanted, out, fresh)
    write_text(text)
    if failed:
        tell(f"{failed:,} questions failed", "they are left out of the figures; see the report for the reasons")
        raise typer.Exit(1)
