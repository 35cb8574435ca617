"""How two graphs differ in meaning: the order of keys, comments, spelling and written-out defaults do not count."""

import inspect
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import yaml

from khub.components.errors import GraphError
from khub.server.graphs.classes import find_class
from khub.server.graphs.load import shown_path, written_out
from khub.server.graphs.parameters import named_parameters
from khub.server.graphs.sockets import input_sockets
from khub.server.graphs.yaml_lines import read_yaml

What = Literal["component", "type", "parameter", "connection", "input", "output", "metadata", "setting"]
SETTINGS = {
    "max_runs_per_component": 100,
    "connection_type_validation": True,
    "streaming_components": None,
}  # Haystack's
_ABSENT = object()


@dataclass(frozen=True)
class Difference:
    """One difference.

    :param sign: `+` what only the second graph has, `-` what only the first has, `~` what both have, but not alike.
    :param what: what kind of thing differs.
    :param name: its name: of a component, `sender -> receiver` of a connection, the dotted path of a parameter.
    :param old: its value in the first graph; None where it has none.
    :param new: its value in the second graph; None where it has none.
    """

    sign: Literal["+", "-", "~"]
    what: What
    name: str
    old: Any
    new: Any


def diff_graphs(old: Path, new: Path) -> list[Difference]:
    """Compare two graph files; they need be YAML, but not right.

    :param old: the first.
    :param new: the second.
    :returns: the differences: of components and their parameters, then of connections, inputs, outputs and the rest.
    :raises GraphError: when a file cannot be read, or holds no graph at all.
    """
    first, second = _read(old), _read(new)
    differences = list(_of_components(_mapping(first, "components"), _mapping(second, "components")))
    differences += _of("connection", _connections(first), _connections(second))
    for what, section in (("input", "inputs"), ("output", "outputs")):
        differences += _of(what, _sockets(first, section), _sockets(second, section))
    differences += _of("metadata", _mapping(first, "metadata"), _mapping(second, "metadata"))
    return differences + list(_of("setting", *({k: g.get(k, d) for k, d in SETTINGS.items()} for g in (first, second))))


def _read(path: Path) -> dict[str, Any]:
    text = written_out(path)
    try:
        data = read_yaml(text).data
    except (yaml.YAMLError, RecursionError):
        data = None
    if not isinstance(data, dict):
        shown = shown_path(path)
        raise GraphError(f"'{shown}' cannot be compared: it holds no graph", f"see: khub graph check {shown}")
    return data


def _mapping(graph: dict[str, Any], section: str) -> dict[str, Any]:
    value = graph.get(section)
    return {str(key): item for key, item in value.items()} if isinstance(value, dict) else {}


def _connections(graph: dict[str, Any]) -> dict[str, None]:
    given = graph.get("connections")
    ends = [c for c in given if isinstance(c, dict)] if isinstance(given, list) else []
    return {f"{connection.get('sender')} -> {connection.get('receiver')}": None for connection in ends}


def _sockets(graph: dict[str, Any], section: str) -> dict[str, Any]:
    declared = _mapping(graph, section)
    return {
        name: sorted(map(str, input_sockets(value))) if isinstance(value, str | list) else value
        for name, value in declared.items()
    }


def _of(what: Any, old: dict[str, Any], new: dict[str, Any]) -> Iterator[Difference]:
    for name in dict.fromkeys([*old, *new]):
        yield from _difference(what, name, old.get(name, _ABSENT), new.get(name, _ABSENT))


def _difference(what: Any, name: str, old: Any, new: Any) -> Iterator[Difference]:
    if old is _ABSENT:
        yield Difference("+", what, name, None, new)
    elif new is _ABSENT:
        yield Difference("-", what, name, old, None)
    elif old != new or isinstance(old, bool) != isinstance(new, bool):  # 5 and 5.0 are the same, 1 and true are not
        yield Difference("~", what, name, old, new)


def _of_components(old: dict[str, Any], new: dict[str, Any]) -> Iterator[Difference]:
    for name in dict.fromkeys([*old, *new]):
        before, after = (_entry(graph.get(name)) for graph in (old, new))
        if name in old and name in new:
            yield from _of_entries(name, before, after)
        else:
            types = (entry.get("type") if name in graph else _ABSENT for graph, entry in ((old, before), (new, after)))
            yield from _difference("component", name, *types)


def _of_entries(path: str, old: dict[str, Any], new: dict[str, Any]) -> Iterator[Difference]:
    yield from _difference("type", path, old.get("type"), new.get("type"))
    same_class = old.get("type") == new.get("type")
    before, after = _parameters(old, same_class), _parameters(new, same_class)
    for name in dict.fromkeys([*before, *after]):
        yield from _of_values(f"{path}.{name}", before.get(name, _ABSENT), after.get(name, _ABSENT))


def _of_values(path: str, old: Any, new: Any) -> Iterator[Difference]:
    if not isinstance(old, dict) or not isinstance(new, dict):
        yield from _difference("parameter", path, old, new)
    elif "type" in old and "type" in new:
        yield from _of_entries(path, old, new)
    else:
        for key in dict.fromkeys([*old, *new]):
            yield from _of_values(f"{path}.{key}", old.get(key, _ABSENT), new.get(key, _ABSENT))


def _entry(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _parameters(entry: dict[str, Any], with_defaults: bool) -> dict[str, Any]:
    """Return the parameters of an entry, and the defaults of its class: they mean the same written out or not."""
    given = {str(key): value for key, value in _entry(entry.get("init_parameters")).items()}
    found = find_class(entry.get("type")) if with_defaults else None
    named = named_parameters(found)[0] if isinstance(found, type) else {}
    return {name: p.default for name, p in named.items() if p.default is not inspect.Parameter.empty} | given
