"""Options that several commands of the evaluation have, and the way in which those that ask questions end."""

from pathlib import Path
from typing import Annotated

import typer

SAMPLES = Path(__file__).parents[1] / "samples"

DocumentsOption = Annotated[
    Path, typer.Option(metavar="DIR", help="The documents that the sets are about.", show_default="eval/samples")
]
SetsArgument = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[SET]…",
        help="Golden sets: names in eval/golden, or .jsonl files; all of the former by default.",
        show_default=False,
    ),
]
GraphsOption = Annotated[
    list[str] | None, typer.Option(metavar="NAME", help="Query graph; may be repeated.", show_default="query")
]
FittingOption = Annotated[
    str | None,
    typer.Option(metavar="NAME", help="Ingest graph for all of them.", show_default="the one that fits each"),
]
VaryOption = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="PATH=VALUE,…",
        show_default=False,
        help="Measure the graphs with these values of a parameter, too; may be repeated.",
    ),
]
FreshOption = Annotated[bool, typer.Option("--fresh", help="Do not go on with a run that was stopped.")]


def finish(report: str, failed: int) -> None:
    """Write a report, and end with status 1 where questions failed."""
    from khub.server.terminal import tell, write_text

    write_text(report)
    if failed:
        tell(f"{failed:,} questions failed", "they are left out of the figures; see the report for the reasons")
        raise typer.Exit(1)
