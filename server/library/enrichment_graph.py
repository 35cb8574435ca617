"""The part of an ingest graph behind its splitter, as a graph of its own."""

from typing import Any

import networkx
from haystack import Pipeline

from components.allowed_modules import allowed_modules
from components.converters.picture import DocumentPicture
from components.errors import GraphError
from components.ingest.collection_writer import CollectionWriter
from server.graphs.load import Graph
from server.library.enrichment_stages import last_splitters, stages_behind_splitter


def enrichment_graph(graph: Graph) -> Graph:
    """Return a graph that takes chunks from the catalog in the place of the splitter's.

    :param graph: of kind `ingest`, with a `CollectionWriter`.
    :returns: a graph of its own, with the inputs `documents`, `pictures`, `collection`, `sources`, `versions` and the
        output `report`.
    :raises GraphError: if there is no stage between splitter and embedder, or one that needs what only reading the
        file gives.
    """
    stages = stages_behind_splitter(graph.pipeline)
    if not stages:
        raise GraphError(
            f"graph {graph.name!r} has no enrichment stage (none between its splitter and its embedder)",
            "name a graph that has one, such as 'more/ingest_llm'",
        )
    writer = next(name for name, part in graph.pipeline.walk() if isinstance(part, CollectionWriter))
    kept = _on_the_way(graph.pipeline, stages, writer)
    data = graph.pipeline.to_dict()
    inner = [c for c in data["connections"] if {_component(c["sender"]), _component(c["receiver"])} <= kept]
    inputs = _inputs(graph, data["connections"], kept, writer)
    if f"{writer}.pictures" not in {c["receiver"] for c in inner}:
        inputs["pictures"].append(f"{writer}.pictures")
    parts = {name: definition for name, definition in data["components"].items() if name in kept}
    pipeline = Pipeline.from_dict(
        {**data, "components": parts, "connections": inner}, allowed_modules=allowed_modules()
    )
    sockets = {name: sorted(set(found)) for name, found in inputs.items()}
    outputs = {"report": f"{writer}.report"}
    return Graph(graph.name, graph.path, pipeline, graph.metadata, sockets, outputs, graph.kind, frozenset(sockets))


def _on_the_way(pipeline: Pipeline, stages: list[str], writer: str) -> set[str]:
    behind = set(stages)
    for name in stages:
        behind |= networkx.descendants(pipeline.graph, name)
    return behind & {writer, *networkx.ancestors(pipeline.graph, writer)}


def _inputs(graph: Graph, connections: list[dict[str, Any]], kept: set[str], writer: str) -> dict[str, list[str]]:
    inputs: dict[str, list[str]] = {
        "documents": [],
        "pictures": [],
        "collection": [socket for socket in graph.inputs.get("collection", []) if _component(socket) in kept],
        "sources": [f"{writer}.sources"],
        "versions": [f"{writer}.versions"],
    }
    splitters = last_splitters(graph.pipeline)
    for connection in connections:
        sender, receiver = connection["sender"], connection["receiver"]
        if _component(receiver) not in kept or _component(sender) in kept:
            continue
        if entering := _entering(graph.pipeline, sender, splitters):
            inputs[entering].append(receiver)
        elif _component(receiver) != writer:
            raise GraphError(
                f"graph {graph.name!r}: {receiver!r} takes {sender!r}, which only reading the file gives",
                "leave that stage out, or ingest the files with this graph",
            )
    if len(set(inputs["documents"])) != 1:
        raise GraphError(
            f"graph {graph.name!r}: chunks leave the splitter by more than one way ({', '.join(inputs['documents'])})",
            "let its stages stand one behind the other",
        )
    return inputs


def _entering(pipeline: Pipeline, sender: str, splitters: list[str]) -> str | None:
    """Return which input stands in for what a stage that is left out would send."""
    name, _, socket = sender.partition(".")
    if name in splitters:
        return "documents"
    if pipeline.graph.nodes[name]["output_sockets"][socket].type == list[DocumentPicture]:
        return "pictures"
    return "collection" if socket == "collection" else None


def _component(path: str) -> str:
    return path.partition(".")[0]
