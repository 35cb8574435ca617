"""`khub eval retrieve`: how well query graphs find the relevant passages of a data set in the format of BEIR.

khub eval retrieve BEIR/xquad_zh BEIR/cranfield --graph query --graph more/query_llm
"""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from khub.eval.commands.shared import FittingOption, FreshOption, GraphsOption, VaryOption, finish


class Legs(StrEnum):
    """What a graph searches with."""

    DENSE = "dense"
    SPARSE = "sparse"
    BOTH = "both"


def retrieve(
    datasets: Annotated[list[Path], typer.Argument(metavar="DIR…", help="Folders in the format of BEIR.")],
    graph: GraphsOption = None,
    legs: Annotated[
        list[Legs] | None, typer.Option(help="Ask these legs; may be repeated.", show_default="each, and both")
    ] = None,
    ingest: FittingOption = None,
    vary: VaryOption = None,
    no_title: Annotated[bool, typer.Option("--no-title", help="Leave the titles of the passages out.")] = False,
    top_k: Annotated[
        int,
        typer.Option(min=10, max=100, metavar="N", help="Ask for so many passages; a graph may look deeper for more."),
    ] = 10,
    out: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Where retrieve.json and retrieve.md go.", show_default="$KHUB_HOME/eval"),
    ] = None,
    fresh: FreshOption = False,
) -> None:
    """Measure retrieval on BEIR folders: nDCG@10, recall@10 and @100, MRR@10; the same command goes on after a stop."""
    from khub.eval.retrieve.run import Wanted, measure
    from khub.server.traces.app_log import configure_logging

    configure_logging()
    chosen = [leg.value for leg in legs or Legs]
    wanted = Wanted(datasets, graph or ["query"], chosen, ingest, not no_title, top_k, vary or [])
    finish(*measure(wanted, out, fresh))
