"""Which files a graph reads."""

from typing import Any

from khub.components.converters.file_types import SUPPORTED_EXTENSIONS, declared_extensions
from khub.components.errors import KhubError
from khub.server.graphs.load import Graph, load_graph


def extensions_of(graph: Graph) -> frozenset[str]:
    """Return the extensions (lower case, with dot) of the files that a folder offers to a graph.

    These are those that the hub reads, and those in `extensions` of any component of the graph.
    """
    return SUPPORTED_EXTENSIONS.union(*(extensions_of_part(part) for _, part in graph.pipeline.walk()))


def extensions_read_by(name: str) -> frozenset[str]:
    """Return what `extensions_of` does of the graph of a name; where that cannot be used, those that the hub reads."""
    try:
        return extensions_of(load_graph(name))
    except KhubError:  # whoever runs it says what is wrong
        return SUPPORTED_EXTENSIONS


def extensions_of_part(part: Any) -> frozenset[str]:
    """Return the extensions of the files that a component says it reads; none for one that says nothing."""
    return declared_extensions(getattr(part, "extensions", ()))
