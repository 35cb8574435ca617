"""`khub eval pages`: whether query graphs find the pages that answer questions about documents.

khub eval pages LONG-DOCUMENTS --graph query --ingest ingest_fast
"""

from pathlib import Path
from typing import Annotated

import typer

from khub.eval.commands.shared import FittingOption, FreshOption, GraphsOption, VaryOption, finish


def pages(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A folder with documents/ and questions.jsonl.")],
    graph: GraphsOption = None,
    ingest: FittingOption = None,
    vary: VaryOption = None,
    out: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Where pages.json and pages.md go.", show_default="$KHUB_HOME/eval"),
    ] = None,
    fresh: FreshOption = False,
) -> None:
    """Measure which evidence pages are found, and when the graphs abstain; the same command goes on after a stop."""
    from khub.eval.pages.run import Wanted, measure
    from khub.server.traces.app_log import configure_logging

    configure_logging()
    wanted = Wanted(folder, graph or ["query"], ingest, vary or [])
    finish(*measure(wanted, out, fresh))
