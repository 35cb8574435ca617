"""The graphs that are measured: as it is, and with replayed stages."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import yaml
from haystack import Pipeline
from haystack.marshal.yaml import YamlLoader

from components.errors import GraphError
from components.guard import Guard
from eval.bench.stages.replay import Replay
from server.graphs.guard import collect_degraded, guarded
from server.graphs.load import Graph, find_graph, load_graph, written_out

REPLAY = "eval.bench.stages.replay.Replay"
ALLOWED = ["components.*", "eval.bench.stages.*"]
LEGS = ("dense", "sparse")
LIBRARY = "haystack."  # stages of Haystack are not ours


def own_stages(graph: str, kept: Sequence[str] = LEGS) -> list[str]:
    """Return the names of a graph's stages that are the hub's own work.

    :param graph: its name.
    :param kept: stages that are not, since they stand for a store or a model.
    :raises GraphError: when the graph has no stage of a name in `kept`.
    """
    components = _read(find_graph(graph))["components"]
    if unknown := [name for name in kept if name not in components]:
        raise GraphError(f"graph {graph!r} has no stage {unknown[0]!r}", f"name some of {', '.join(components)}")
    return [n for n, c in components.items() if n not in kept and not c["type"].startswith(LIBRARY)]


def graph_of(name: str, model: str, replayed: Sequence[str] = ()) -> Graph:
    """Return a copy of a graph, with parts of its own.

    :param name: of the graph.
    :param model: the embedder of the questions, in place of the graph's own.
    :param replayed: stages that a `Replay` takes the place of.
    """
    path = find_graph(name)
    data = _read(path)
    for part in _dicts(data["components"]):
        if str(part.get("type", "")).endswith(".TextEmbedder"):
            part["init_parameters"] = {"model": model}
    for stage in replayed:
        data["components"][stage] = {"type": REPLAY, "init_parameters": {"component": data["components"][stage]}}
    graph = load_graph(name)
    apart = Pipeline.from_dict({**data, "connections": []}, allowed_modules=ALLOWED)
    pipeline = guarded(apart, graph.metadata.get("guard"))
    for connection in data["connections"]:
        pipeline.connect(connection["sender"], connection["receiver"])
    collect_degraded(pipeline)
    return Graph(name, path, pipeline, graph.metadata, graph.inputs, graph.outputs, graph.kind, graph.required)


def replays_of(graph: Graph) -> list[Replay]:
    """Return the stages of a graph that are replayed."""
    parts = (part.component if isinstance(part, Guard) else part for _, part in graph.pipeline.walk())
    return [part for part in parts if isinstance(part, Replay)]


def _read(path: Path) -> dict[str, Any]:
    data: dict[str, Any] = yaml.load(written_out(path), Loader=YamlLoader)
    return data


def _dicts(value: Any) -> Iterator[dict[str, Any]]:
    if isinstance(value, dict):
        yield value
        for item in value.values():
            yield from _dicts(item)
    elif isinstance(value, list):
        for item in value:
            yield from _dicts(item)
