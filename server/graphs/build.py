"""Build the components of a graph, so that their sockets can be asked."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from haystack import Pipeline

from khub.components.allowed_modules import allowed_modules
from khub.components.errors import KhubError, ParameterError
from khub.server.graphs.classes import CLASS_UNKNOWN
from khub.server.graphs.problem import Problem
from khub.server.graphs.yaml_lines import Path, YamlText


@dataclass(frozen=True)
class Built:
    """What could be built.

    :param pipeline: the components that could, not connected yet.
    :param problems: one for each that could not.
    """

    pipeline: Pipeline
    problems: list[Problem]


def build_components(text: YamlText, left_out: set[str]) -> Built:
    """Build the components of a graph; one that fails keeps no other from being built.

    :param text: the graph's file, whose sections have their shape.
    :param left_out: names of components known to be wrong.
    """
    problems: list[Problem] = []
    wanted = {name: entry for name, entry in text.data["components"].items() if str(name) not in left_out}
    while True:
        data = {**text.data, "components": wanted, "connections": []}
        try:
            return Built(Pipeline.from_dict(data, allowed_modules=allowed_modules()), problems)
        except Exception as error:  # a constructor may raise anything
            name = _blamed(str(error), wanted)
            problems.append(_problem(error, name, text))
            wanted = {key: entry for key, entry in wanted.items() if name is not None and str(key) != name}


def _blamed(message: str, wanted: dict[Any, Any]) -> str | None:
    named = re.search(r"component '([^']+)'|\(name: '([^']+)'\)", message)
    name = next((group for group in named.groups() if group), None) if named else None
    return name if name is not None and name in map(str, wanted) else None


def _problem(error: Exception, name: str | None, text: YamlText) -> Problem:
    own = error.__cause__
    if isinstance(own, KhubError):
        message, remedy, code = own.message, own.remedy, own.code
    else:
        reason = " ".join(str(error).rpartition("Original error: ")[2].split()) or type(error).__name__
        message, remedy, code = f"cannot be built: {reason}", "correct its parameters", ParameterError.code
        if "not imported" in reason:  # Haystack's word for a class that is there, but unknown to it
            code = CLASS_UNKNOWN
            message, remedy = "its class is no Haystack component", "put @component above the class"
    return Problem(_line(name, message, text), name, message, remedy, code)


def _line(name: str | None, message: str, text: YamlText) -> int | None:
    """Return the line of the parameter that a message names, else that of its component."""
    if name is None:
        return text.line("components")
    inside = ("components", name)
    words, quoted = set(re.findall(r"\w+", message)), re.findall(r"'[^']+'|{\w+}", message)
    values = list(_plain_values(next(v for k, v in text.data["components"].items() if str(k) == name), inside))
    by_key = (path for path, _ in values if path[-1] in words)
    by_value = (path for path, value in values if any(part.strip("'") in str(value) for part in quoted))
    return text.line(*next(by_key, next(by_value, inside)))


def _plain_values(value: Any, path: Path) -> Iterator[tuple[Path, Any]]:
    """Yield the parameters inside of a component that are no objects themselves, with their place."""
    if not isinstance(value, dict):
        return
    is_entry = "type" in value
    for key, item in value.items():
        if is_entry and key in ("type", "init_parameters"):
            yield from _plain_values(item, (*path, key))
        elif isinstance(item, dict) and "type" in item:
            yield from _plain_values(item, (*path, str(key)))
        else:
            yield (*path, str(key)), item
