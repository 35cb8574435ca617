"""`khub graph copy`."""

import os
from typing import Annotated

import typer

from khub.components.errors import OptionError
from khub.server.terminal import tell, write_line


def graph_copy(
    name: Annotated[str | None, typer.Argument(metavar="[NAME]", help="One of the hub's own.")] = None,
    to: Annotated[str | None, typer.Argument(metavar="[TO]", help="Name of the copy; the same if left out.")] = None,
    every: Annotated[bool, typer.Option("--all", help="Copy all that are not there yet.")] = False,
    force: Annotated[bool, typer.Option("--force", help="Replace what is there.")] = False,
) -> None:
    """Copy one of the hub's own graphs into your folder of graphs, to be edited: $KHUB_PIPELINES, else ./pipelines.

    Example: khub graph copy query
    """
    from khub.components.trust import trusted_folders
    from khub.server.graphs.copies import copy_graph, folder_of_copies, own_graphs
    from khub.server.graphs.load import shown_path

    folder = folder_of_copies()
    if every is (name is not None):
        raise OptionError("one of NAME and --all is needed", "khub graph copy query, or khub graph copy --all")
    missing = [one for one in own_graphs() if not (folder / f"{one}.yaml").exists()]
    for one in [name] if name is not None else own_graphs() if force else missing:
        write_line(shown_path(copy_graph(one, to, force)))
    if name is not None and set(missing) - {name}:
        tell("the hub uses the graphs of one folder alone", "to have its other ones there too: khub graph copy --all")
    if not os.environ.get("KHUB_PIPELINES") and not trusted_folders().get(str(folder)):
        tell(f"to use the graphs in {shown_path(folder)}", f"khub trust {shown_path(folder)}")
    tell("after an edit", f"khub graph check {to or name or '--all'}")
