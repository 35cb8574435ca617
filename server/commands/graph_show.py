"""`khub graph show`."""

import shutil
from typing import TYPE_CHECKING, Annotated

import typer

from server.commands.options import JsonOption
from server.commands.output import one_line, tell, write_json, write_line, write_text

if TYPE_CHECKING:
    from server.graph_view import GraphView

NameArgument = Annotated[str, typer.Argument(metavar="NAME|FILE", help="Name of a graph, or a file.")]


def graph_show(
    name: NameArgument,
    as_mermaid: Annotated[bool, typer.Option("--mermaid", help="Write a Mermaid flowchart, for Markdown.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Draw a graph: its components, and what flows between them (* must be given)."""
    if as_mermaid and as_json:
        raise typer.BadParameter("give one of --mermaid and --json", param_hint="--mermaid")

    from server.graph_mermaid import mermaid
    from server.graph_view import view_graph
    from server.graphs import load_graph

    view = view_graph(load_graph(name))
    if as_json:
        from dataclasses import asdict

        write_json({**asdict(view), "required": sorted(view.required)})
    elif as_mermaid:
        write_text(mermaid(view))
    else:
        _draw(view)


def _draw(view: "GraphView") -> None:
    from server.graph_picture import flows, picture
    from server.text_canvas import wrap

    width = shutil.get_terminal_size().columns
    for line in wrap(one_line(f"{view.name} ({view.kind}): {view.description}"), width):
        write_line(line)
    write_line()
    lines = picture(view, width)
    if not lines:
        tell("the terminal is too narrow for the picture", "widen it, or use --mermaid")
    for line in [*lines, *([""] if lines else []), *flows(view, width)]:
        write_line(line)
