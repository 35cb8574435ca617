"""`khub eval retrieve`: how well query graphs find the relevant passages of a data set in the format of BEIR.

khub eval retrieve BEIR/xquad_zh BEIR/cranfield --graph query --graph more/query_llm
"""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from eval.commands.vary_option import VaryOption


class Legs(StrEnum):
    """What a graph searches with."""

    DENSE = "dense"
    SPARSE = "sparse"
    BOTH = "both"


def retrieve(
    datasets: Annotated[list[Path], typer.Argument(metavar="DIR…", help="Folders in the format of BEIR.")],
    graph: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="Query graph; may be repeated.", show_default="query")
    ] = None,
    legs: Annotated[
        list[Legs] | None, typer.Option(help="Ask these legs; may be repeated.", show_default="each, and both")
    ] = None,
    ingest: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Ingest graph for all of them.", show_default="the one that fits each"),
    ] = None,
    vary: VaryOption = None,
    no_title: Annotated[bool, typer.Option("--no-title", help="Leave the titles of the passages out.")] = False,
    depth: Annotated[
        int | None,
        typer.Option(
            min=1,
            max=100,
            metavar="N",
            show_default=False,
            help="Raise smaller top_k in copies of the graphs, to see what lies deeper; figures at 10 may change, too.",
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Where retrieve.json and retrieve.md go.", show_default="$KHUB_HOME/eval"),
    ] = None,
    fresh: Annotated[bool, typer.Option("--fresh", help="Do not go on with a run that was stopped.")] = False,
) -> None:
    """Measure retrieval on BEIR folders: nDCG@10, recall@10 and @100, MRR@10; the same command goes on after a stop."""
    from eval.retrieve.run import Wanted, measure
    from server.commands.output import tell, write_text
    from server.traces.app_log import configure_logging

    configure_logging()
    chosen = [leg.value for leg in legs or Legs]
    wanted = Wanted(datasets, graph or ["query"], chosen, ingest, not no_title, depth, vary or [])
    text, failed = measure(wanted, out, fresh)
    write_text(text)
    if failed:
        tell(f"{failed:,} questions failed", "they are left out of the figures; see the report for the reasons")
        raise typer.Exit(1)
