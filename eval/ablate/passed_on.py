"""Which input of a stage stands for each of its outputs once the stage is taken out."""

from collections.abc import Iterable, Mapping

from haystack.core.component import InputSocket, OutputSocket

from khub.server.graphs.load import Graph


def passed_on(graph: Graph, stage: str) -> dict[str, str]:
    """Return output -> input of a stage: what the stage would pass on if it did nothing.

    It is the input of the same name; else that of the same type, where no other output or input could be meant. An
    output without an input is not in it.
    """
    node = graph.pipeline.graph.nodes[stage]
    inputs, outputs = node["input_sockets"], node["output_sockets"]
    named = {name: name for name in outputs if name in inputs}
    return {**_of_same_type(inputs, outputs, named), **named}


def _of_same_type(
    inputs: Mapping[str, InputSocket], outputs: Mapping[str, OutputSocket], named: Mapping[str, str]
) -> dict[str, str]:
    # an optional input is an addition to what a stage works on, and never what comes out of it
    free = _only_ones(s for s in inputs.values() if s.is_mandatory and s.name not in named.values())
    left = _only_ones(s for s in outputs.values() if s.name not in named)
    return {output: free[kind] for kind, output in left.items() if kind in free}


def _only_ones(sockets: Iterable[InputSocket | OutputSocket]) -> dict[str, str]:
    """Return type -> name of the sockets that are the only ones of their type."""
    names: dict[str, list[str]] = {}
    for socket in sockets:
        names.setdefault(str(socket.type), []).append(socket.name)
    return {kind: found[0] for kind, found in names.items() if len(found) == 1}
