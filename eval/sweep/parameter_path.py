"""`dense.top_k=10,20,50`: which parameter of a graph is meant, and the values it is to take."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import yaml
from haystack.marshal.yaml import YamlLoader

from khub.components.errors import GraphError, OptionError, StageError
from khub.components.text.nearest_name import nearest
from khub.server.graphs.classes import find_class
from khub.server.graphs.parameters import named_parameters
from khub.server.graphs.problem import listing

FORM = "write COMPONENT.PARAMETER=VALUE,VALUE… such as dense.top_k=10,20"
INIT = "init_parameters"
Keys = tuple[str, ...]


@dataclass(frozen=True)
class Setting:
    """A parameter, and the values it is to take.

    :param path: as it was typed, `component.parameter`, with more names behind it for what lies inside.
    :param values: at least one, none of them twice.
    """

    path: str
    values: tuple[Any, ...]


def read_setting(text: str) -> Setting:
    """Read `dense.top_k=10,20,50`.

    Values are YAML, separated by commas: numbers, `true`, texts (in quotes if they hold a comma), `[1, 5]`, `{a: 1}`.

    :raises KhubError: when it is not of this form.
    """
    path, sign, given = (part.strip() for part in text.partition("="))
    if not sign or len(path.split(".")) < 2 or not all(path.split(".")):
        raise OptionError(f"{text!r} names no parameter with values", FORM)
    try:
        values = yaml.load(f"[{given}]", Loader=YamlLoader)
    except (yaml.YAMLError, ValueError) as error:
        raise OptionError(f"the values of {path!r} cannot be read: {given!r}", FORM) from error
    if not isinstance(values, list) or not values:
        raise OptionError(f"{path!r} is given no values", FORM)
    once = {(type(value).__name__, repr(value)): value for value in values}
    return Setting(path, tuple(once.values()))


def read_settings(texts: Sequence[str]) -> list[Setting]:
    """Read several settings.

    :raises KhubError: when there is none, one is not of the form, or two are of the same parameter.
    """
    if not texts:
        raise OptionError("there is nothing to vary", f"{FORM} after --set")
    settings = [read_setting(text) for text in texts]
    paths = [setting.path for setting in settings]
    for path in paths:
        if paths.count(path) > 1:
            raise OptionError(f"{path!r} is set twice", "give all of its values to one --set, separated by commas")
    return settings


def component_of(path: str) -> str:
    """Return the name of the component that a path begins with."""
    return path.partition(".")[0]


def locate(path: str, graph: dict[str, Any]) -> Keys:
    """Return where a parameter stands in the data of a graph file, or would stand if it were written out.

    The names of `init_parameters` are left out in a path.

    :param path: `component.parameter`, with further names for what lies inside of the parameter's value.
    :param graph: the data of a graph that can be loaded.
    :returns: the keys from the top of the file.
    :raises GraphError: naming the first part that is not known, and the name that may be meant.
    """
    name, *rest = path.split(".")
    entries = {str(key): entry for key, entry in graph["components"].items()}
    if name not in entries:
        raise StageError(f"{path!r}: no component {name!r}", nearest(name, entries, f"it has {listing(entries)}"))
    return _in_entry(path, entries[name], rest, ("components", name))


def _in_entry(path: str, entry: dict[str, Any], names: list[str], at: Keys) -> Keys:
    cls = find_class(entry["type"])
    assert isinstance(cls, type)
    named, takes_any = named_parameters(cls)
    if names[0] not in named and not takes_any:
        known = sorted(named)
        class_name = entry["type"].rpartition(".")[2]
        remedy = nearest(names[0], known, f"it has {listing(known)}")
        raise GraphError(
            f"{path!r}: {class_name} has no parameter {names[0]!r}", remedy, code="graph_parameter_unknown"
        )
    value = (entry.get(INIT) or {}).get(names[0])
    return _in_value(path, value, names[1:], (*at, INIT, names[0]))


def _in_value(path: str, value: Any, names: list[str], at: Keys) -> Keys:
    if not names:
        return at
    if not isinstance(value, dict):
        held = "is not written in the file" if value is None else f"holds a {type(value).__name__}"
        raise GraphError(
            f"{path!r}: {at[-1]!r} {held}, so that there is no {names[0]!r} in it",
            f"set {at[-1]!r} as a whole",
            code="graph_parameter_unknown",
        )
    if isinstance(value.get("type"), str) and ("." in value["type"] or INIT in value):
        return _in_entry(path, value, names, at)
    known = [str(key) for key in value]
    # any key may be added to a mapping, such as the options of a server; a misspelt one would change nothing
    if names[0] not in known and (meant := nearest(names[0], known, "")):
        raise GraphError(f"{path!r}: {at[-1]!r} has no {names[0]!r}", meant, code="graph_parameter_unknown")
    return _in_value(path, value.get(names[0]), names[1:], (*at, names[0]))
