"""The option that measures a graph with other values of its parameters, too."""

from typing import Annotated

import typer

VaryOption = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="PATH=VALUE,…",
        show_default=False,
        help="Measure the graphs with these values of a parameter, too; may be repeated.",
    ),
]
