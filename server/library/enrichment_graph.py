"""The part of an ingest graph behind its splitter, as a graph of its own."""

import networkx
from haystack import Pipeline

from khub.components.allowed_modules import allowed_modules
from khub.components.errors import StageError
from khub.components.ingest.collection_writer import CollectionWriter
from khub.server.graphs.load import Graph
from khub.server.graphs.problem import listing
from khub.server.library.enrichment_stages import last_splitters

BESIDE = ("pictures", "collection", "sources", "versions")
"""What a collection holds beside chunks, by the names of the sockets that take it."""


def enrichment_graph(graph: Graph, stages: list[str]) -> Graph:
    """Return a graph that takes chunks from the catalog in the place of the splitter's.

    :param graph: of kind `ingest`, with a `CollectionWriter`.
    :param stages: names of those between its splitter and its embedder.
    :returns: a graph with the inputs `documents` and those of `BESIDE`, and the output `report`.
    :raises GraphError: if a stage needs what only reading the file gives.
    """
    splitters = last_splitters(graph.pipeline)
    writer = next(name for name, part in graph.pipeline.walk() if isinstance(part, CollectionWriter))
    behind = set(stages).union(*(networkx.descendants(graph.pipeline.graph, name) for name in stages))
    kept = behind & {writer, *networkx.ancestors(graph.pipeline.graph, writer)}
    data = graph.pipeline.to_dict()
    links = [c for c in data["connections"] if _stage(c["receiver"]) in kept]
    inner = [c for c in links if _stage(c["sender"]) in kept]
    inputs: dict[str, set[str]] = {name: set() for name in ("documents", *BESIDE)}
    for sender, receiver in ((c["sender"], c["receiver"]) for c in links if c not in inner):
        entering = "documents" if _stage(sender) in splitters else sender.partition(".")[2]
        if entering in BESIDE or _stage(sender) in splitters:
            inputs[entering].add(receiver)
        elif _stage(receiver) != writer:
            raise StageError(
                f"graph {graph.name!r}: {receiver!r} takes {sender!r}, which only reading the file gives",
                "leave that stage out, or ingest the files with this graph",
            )
    if len(inputs["documents"]) != 1:
        raise StageError(
            f"graph {graph.name!r}: chunks leave the splitter by more than one way ({listing(inputs['documents'])})",
            "let its stages stand one behind the other",
        )
    fed = {c["receiver"] for c in inner}
    for name in BESIDE:
        inputs[name] |= {f"{writer}.{name}"} - fed
    parts = {name: part for name, part in data["components"].items() if name in kept}
    pipeline = Pipeline.from_dict(
        {**data, "components": parts, "connections": inner}, allowed_modules=allowed_modules()
    )
    sockets = {name: sorted(found) for name, found in inputs.items()}
    outputs = {"report": f"{writer}.report"}
    return Graph(graph.name, graph.path, pipeline, graph.metadata, sockets, outputs, graph.kind, frozenset(sockets))


def _stage(socket: str) -> str:
    return socket.partition(".")[0]
