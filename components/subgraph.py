"""A graph file as one component of another graph."""

import os
from collections.abc import Callable
from contextvars import ContextVar
from pathlib import Path
from typing import Any, NamedTuple

import yaml
from haystack import Pipeline, super_component
from haystack.marshal.yaml import YamlLoader

from components.allowed_modules import allowed_modules
from components.errors import GraphError


class Inner(NamedTuple):
    """A graph that another one contains.

    :param pipeline: built.
    :param inputs: declared input -> the sockets (`component.socket`) that it feeds.
    :param outputs: declared output -> its socket.
    """

    pipeline: Pipeline
    inputs: dict[str, list[str]]
    outputs: dict[str, str]


builder: ContextVar[Callable[[str], Inner] | None] = ContextVar("builder", default=None)
"""What builds inner graphs by name, where a server does it: with their own guards, and checked."""


@super_component
class Subgraph:
    """Runs another graph; its inputs and outputs are those that the file declares.

    :param graph: name of the file below the folder of graphs, without .yaml: `$KHUB_PIPELINES`, else `./pipelines`.
    :raises GraphError: when there is no such file.
    """

    def __init__(self, graph: str) -> None:
        self.graph = graph
        inner = (builder.get() or _plain)(graph)
        self.pipeline = inner.pipeline
        self.input_mapping = inner.inputs
        self.output_mapping = {socket: name for name, socket in inner.outputs.items()}


def _plain(graph: str) -> Inner:
    path = Path(os.environ.get("KHUB_PIPELINES") or "pipelines").expanduser() / f"{graph}.yaml"
    if not path.is_file():
        raise GraphError(f"there is no graph {graph!r} to be contained: {path} is missing", "set KHUB_PIPELINES")
    data: dict[str, Any] = yaml.load(path.read_text(encoding="utf-8"), Loader=YamlLoader)  # noqa: S506 - a SafeLoader
    inputs = {name: [one] if isinstance(one, str) else list(one) for name, one in data["inputs"].items()}
    return Inner(Pipeline.from_dict(data, allowed_modules=allowed_modules()), inputs, dict(data["outputs"]))
