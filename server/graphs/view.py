"""A graph as pictures and lists show it: its components, and what flows between them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from khub.components.component_entry import ComponentEntry
from khub.components.guard import Guard
from khub.server.graphs.guard import DEGRADED
from khub.server.graphs.load import Graph

GUARD = f"{Guard.__module__}.{Guard.__qualname__}"


@dataclass(frozen=True)
class Link:
    """One connection: `sender.output` -> `receiver.input`."""

    sender: str
    output: str
    receiver: str
    input: str


@dataclass(frozen=True)
class GraphView:
    """What a graph looks like.

    :param name: its name.
    :param description: what its metadata say of it.
    :param kind: `ingest`, `query`, `verify` or `evaluate`.
    :param parts: component -> its class and, in brackets, those of the components that it wraps.
    :param links: all connections, by sender and receiver in the order of the file.
    :param inputs: declared input -> the sockets that it feeds.
    :param outputs: declared output -> its socket.
    :param required: the inputs without which the graph cannot run.
    """

    name: str
    description: str
    kind: str
    parts: dict[str, str]
    links: list[Link]
    inputs: dict[str, list[str]]
    outputs: dict[str, str]
    required: frozenset[str]


def view_graph(graph: Graph) -> GraphView:
    """Return what a loaded graph looks like, without the guards of its metadata; nothing of it is run."""
    components = graph.pipeline.to_dict()["components"]
    is_guarded = "guard" in graph.metadata
    order = list(components)
    links = [
        Link(sender, about["from_socket"].name, receiver, about["to_socket"].name)
        for sender, receiver, about in graph.pipeline.graph.edges(data=True)
        if not (is_guarded and about["from_socket"].name == DEGRADED)
    ]
    links.sort(key=lambda link: (order.index(link.sender), order.index(link.receiver)))
    return GraphView(
        graph.name,
        " ".join(str(graph.metadata.get("description", "")).split()),
        graph.kind,
        {name: class_text(_as_written(entry) if is_guarded else entry) for name, entry in components.items()},
        links,
        graph.inputs,
        graph.outputs,
        graph.required,
    )


def class_text(entry: ComponentEntry) -> str:
    """Return `BoundedRanker(LLMRanker)`: the class of a serialized component and of the ones that it wraps."""
    parameters = entry.get("init_parameters") or {}
    inner = [_class_name(value) for value in parameters.values() if isinstance(value, dict) and _class_name(value)]
    return _class_name(entry) + (f"({', '.join(inner)})" if inner else "")


def _as_written(entry: ComponentEntry) -> ComponentEntry:
    """Return the entry of the file, which knows no guard."""
    inner: ComponentEntry = entry["init_parameters"]["component"] if entry["type"] == GUARD else entry
    return inner


def _class_name(entry: Mapping[str, Any]) -> str:
    path = entry.get("type")
    return path.rpartition(".")[2] if isinstance(path, str) and "." in path else ""
