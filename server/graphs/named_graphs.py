"""Graphs that a client may name: those in the folder of graphs, never a path."""

from khub.components.errors import GraphError
from khub.components.text.nearest_name import nearest
from khub.server.graphs.folder import SUFFIXES
from khub.server.graphs.load import Graph, find_graph, list_graphs, load_graph


def known_graph(name: str, kind: str) -> Graph:
    """Return a graph of a kind by its name.

    :param kind: `query` or `ingest`.
    :raises GraphError: naming those that there are, if there is no such graph; or if its file has a mistake.
    """
    try:
        known = not name.endswith(SUFFIXES) and bool(find_graph(name))
    except GraphError:
        known = False
    if known and (graph := load_graph(name)).kind == kind:
        return graph
    names = [info.name for info in list_graphs() if info.kind == kind]
    similar = nearest(name, names, "")
    remedy = f"{similar} graphs of kind {kind}: {', '.join(names)}".strip()
    raise GraphError(f"there is no graph {name[:100]!r} of kind {kind!r}", remedy, code="graph_unknown")
