"""Copies of the hub's own graphs in the user's folder, where they can be edited."""

import os
from pathlib import Path

from khub.components.errors import GraphError
from khub.components.text.nearest_name import nearest
from khub.server.graphs.folder import OWN, graph_files, is_own
from khub.server.graphs.load import GRAPH_NAME, shown_path
from khub.server.graphs.problem import listing


def own_graphs() -> list[str]:
    """Return the names of the graphs that come with the hub."""
    return sorted(file.relative_to(OWN).with_suffix("").as_posix() for file in graph_files(OWN))


def folder_of_copies() -> Path:
    """Return the user's folder of graphs, which need not exist: `$KHUB_PIPELINES`, else `./pipelines`.

    :raises GraphError: if that is the hub's own.
    """
    folder = Path(os.environ.get("KHUB_PIPELINES") or "pipelines").expanduser().absolute()
    if is_own(folder):
        raise GraphError(
            f"{folder} holds the hub's own graphs",
            "go to another folder, or name one by KHUB_PIPELINES",
            code="graph_unknown",
        )
    return folder


def copy_graph(name: str, to: str | None = None, replace: bool = False) -> Path:
    """Copy one of the hub's own graphs into the user's folder, and return the new file.

    :param name: `query` or `more/ask`, as `own_graphs` says.
    :param to: name of the copy; the same if None.
    :param replace: whether a file that is there is replaced.
    :raises GraphError: if there is no such graph, the copy can have no such name, or a file is there.
    """
    names = own_graphs()
    if name not in names:
        raise GraphError(
            f"the hub has no graph {name!r} of its own",
            nearest(name, names, f"it has {listing(names)}"),
            code="graph_unknown",
        )
    copy = name if to is None else to.removesuffix(".yaml")
    if not GRAPH_NAME.fullmatch(copy):
        raise GraphError(
            f"{copy!r} is no name of a graph", "name it like my_query, or more/my_query", code="name_invalid"
        )
    target = folder_of_copies() / f"{copy}.yaml"
    if target.exists() and not replace:
        raise GraphError(
            f"{shown_path(target)} is there already", "give another name, or --force to replace it", code="name_taken"
        )
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes((OWN / f"{name}.yaml").read_bytes())
    except OSError as error:
        raise GraphError(
            f"{shown_path(target)} cannot be written ({error.strerror})", "check its folder", code="file_unusable"
        ) from error
    return target
