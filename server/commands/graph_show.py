"""`khub graph show`."""

from dataclasses import asdict
from typing import Annotated

import typer

from khub.server.commands.options import JsonOption
from khub.server.terminal import write_json, write_text

NameArgument = Annotated[str, typer.Argument(metavar="NAME|FILE", help="Name of a graph, or a file.")]


def graph_show(name: NameArgument, as_json: JsonOption = False) -> None:
    """Write a graph as a Mermaid flowchart: its components, and what flows between them (* must be given)."""
    from khub.server.graphs.load import load_graph
    from khub.server.graphs.mermaid import mermaid
    from khub.server.graphs.view import view_graph

    view = view_graph(load_graph(name))
    if as_json:
        write_json({**asdict(view), "required": sorted(view.required)})
    else:
        write_text(mermaid(view))
