"""A graph file, as it stands or changed, as one component of another graph."""

import os
import re
from collections.abc import Callable
from contextvars import ContextVar
from pathlib import Path
from typing import Any, NamedTuple

import networkx
from haystack import Pipeline, super_component

from khub.components.allowed_modules import allowed_modules
from khub.components.bounded_yaml import load_yaml
from khub.components.errors import GraphError, ParameterError

Data = dict[str, Any]
CHANGED = ("metadata", "components", "connections", "inputs", "outputs")


_NAME = re.compile(r"[\w-][\w.-]*(/[\w-][\w.-]*)*")


class Inner(NamedTuple):
    """A graph that another one contains.

    :param pipeline: built.
    :param inputs: declared input -> the sockets (`component.socket`) that it feeds.
    :param outputs: declared output -> its socket.
    """

    pipeline: Pipeline
    inputs: dict[str, list[str]]
    outputs: dict[str, str]


builder: ContextVar[Callable[[str, Data], Inner] | None] = ContextVar("builder", default=None)
"""What builds inner graphs by name and changes, where a server does it: with their own guards, and checked."""


@super_component
class Subgraph:
    """Runs another graph; its inputs and outputs are those that the file declares.

    :param graph: name of the file below the folder of graphs, without .yaml: `$KHUB_PIPELINES`, else `./pipelines`.
    :param changes: what is different here, in the form of a graph file (see `changed_graph`).
    :raises GraphError: when there is no such file, or `changes` are of another form.
    """

    def __init__(self, graph: str, changes: dict[str, Any] | None = None) -> None:
        self.graph = graph
        self.changes = changes
        inner = (builder.get() or _plain)(graph, changes or {})
        self.pipeline = inner.pipeline
        self.input_mapping = inner.inputs
        self.output_mapping = {socket: name for name, socket in inner.outputs.items()}


def changed_graph(graph: Data, changes: Data) -> Data:
    """Return a graph with changes.

    Mappings are merged key by key, and null takes a key away (JSON Merge Patch); what has a `type` of its own takes the
    place of what stood there. Connections are added. Those of stages that are taken away go, and so does one between
    whose ends the new ones lead: a stage was put there.

    :param graph: data of a graph file that is right.
    :param changes: data of the same form.
    :raises GraphError: when the changes are of another form.
    """
    added = changes.get("connections", [])
    named = isinstance(added, list) and all(isinstance(c, dict) and {*c} == {"sender", "receiver"} for c in added)
    if not named or not {*changes} <= {*CHANGED} or not all(isinstance(v, dict | list) for v in changes.values()):
        raise ParameterError(
            "'changes' are not of the form of a graph", f"give some of {', '.join(CHANGED)}, as a file does"
        )
    merged = _merged(graph, {section: value for section, value in changes.items() if section != "connections"})
    ways = networkx.DiGraph([(c["sender"], c["receiver"]) for c in added])
    for receiver in [c["receiver"] for c in added]:
        ways.add_edges_from((receiver, c["sender"]) for c in added if _stage(c["sender"]) == _stage(receiver))
    kept = [
        c
        for c in graph.get("connections", [])
        if {_stage(c["sender"]), _stage(c["receiver"])} <= {*merged["components"]}
        and not ({c["sender"], c["receiver"]} <= {*ways} and networkx.has_path(ways, c["sender"], c["receiver"]))
    ]
    return {**merged, "connections": kept + added}


def _merged(old: Any, new: Any) -> Any:
    if not isinstance(old, dict) or not isinstance(new, dict) or "type" in new:
        return new
    merged = {**old, **{key: _merged(old.get(key), value) for key, value in new.items()}}
    return {key: value for key, value in merged.items() if key not in new or value is not None}


def _stage(socket: str) -> str:
    return socket.partition(".")[0]


def _plain(graph: str, changes: Data) -> Inner:
    if not _NAME.fullmatch(graph):
        raise GraphError(f"{graph!r} is no name of a graph", "name one of the folder of graphs", code="name_invalid")
    path = Path(os.environ.get("KHUB_PIPELINES") or "pipelines").expanduser() / f"{graph}.yaml"
    if not path.is_file():
        raise GraphError(
            f"there is no graph {graph!r} to be contained: {path} is missing",
            "set KHUB_PIPELINES",
            code="graph_unknown",
        )
    data: Data = load_yaml(path.read_text(encoding="utf-8"))
    data = changed_graph(data, changes)
    inputs = {name: [one] if isinstance(one, str) else list(one) for name, one in data["inputs"].items()}
    return Inner(Pipeline.from_dict(data, allowed_modules=allowed_modules()), inputs, dict(data["outputs"]))
