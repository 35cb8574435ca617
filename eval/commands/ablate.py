"""`khub eval ablate`: what each stage of a query graph is worth, and what it costs.

khub eval ablate query BEIR/xquad_zh LONG-DOCUMENTS --sample 200
khub eval ablate query BEIR/xquad_zh --without rerank --set rank.fusion=rrf --against more/query_llm
"""

import shlex
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from khub.eval.commands.shared import FittingOption, FreshOption, finish


class Leg(StrEnum):
    """What a graph can be asked to search with alone."""

    DENSE = "dense"
    SPARSE = "sparse"


def ablate_graph(  # noqa: PLR0913, PLR0917 - each is an option of the command
    graph: Annotated[str, typer.Argument(metavar="GRAPH", help="Graph of kind 'query'.")],
    datasets: Annotated[
        list[Path],
        typer.Argument(metavar="SET…", help="Folders in the format of BEIR, or with documents/ and questions.jsonl."),
    ],
    without: Annotated[
        list[str] | None,
        typer.Option(
            metavar="STAGE",
            help="Take this stage out; A,B both at once; may be repeated.",
            show_default="every stage by itself, and each leg alone, where no change is named",
        ),
    ] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set", metavar="PATH=VALUE,…", show_default=False, help="Set a parameter, such as rank.sparse_weight=0.5."
        ),
    ] = None,
    against: Annotated[
        list[str] | None,
        typer.Option(metavar="GRAPH", show_default=False, help="Another graph, by name or file; may be repeated."),
    ] = None,
    legs: Annotated[list[Leg] | None, typer.Option(show_default=False, help="Ask this leg alone.")] = None,
    ingest: FittingOption = None,
    sample: Annotated[
        int | None, typer.Option(min=1, metavar="N", show_default="all", help="Draw at most N questions of each set.")
    ] = None,
    seed: Annotated[int, typer.Option(metavar="S", help="What the sample is drawn by.")] = 7,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Where ablate.json, .md and -scores.json go.",
            show_default="a folder in $KHUB_HOME/eval",
        ),
    ] = None,
    fresh: FreshOption = False,
) -> None:
    """Take out each stage of a graph, one at a time, and measure what changes; goes on after a stop."""
    from khub.eval.ablate.run import Wanted, ablate
    from khub.eval.ablate.variants import Changes
    from khub.server.traces.app_log import configure_logging

    configure_logging()
    given = {"--without": without, "--set": settings, "--against": against, "--legs": legs, "--ingest": ingest}
    drawn = {"--sample": sample, "--seed": None if sample is None else seed}
    command = _typed([graph, *map(str, datasets)], {**given, **drawn})
    changes = Changes(without or (), settings or (), against or (), [leg.value for leg in legs or ()])
    finish(*ablate(Wanted(graph, datasets, changes, ingest, sample, seed, command), out, fresh))


def _typed(arguments: list[str], options: dict[str, object]) -> str:
    words = ["khub", "eval", "ablate", *arguments]
    for name, value in options.items():
        values = value if isinstance(value, list) else [] if value is None else [value]
        words += [word for one in values for word in (name, str(one))]
    return shlex.join(words)
