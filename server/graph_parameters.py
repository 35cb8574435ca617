"""Check the init parameters that a graph gives to a class."""

import collections.abc
import enum
import inspect
import re
import types
import typing
from collections.abc import Iterator
from typing import Any, Literal, Union

from haystack.utils import Secret
from pydantic import TypeAdapter, ValidationError

from server.graph_classes import ClassProblem, find_class
from server.graph_problem import Problem, listing, nearest
from server.yaml_lines import Path, YamlText

CLASS_PATH = re.compile(r"(haystack|haystack_integrations|components|milvus_haystack)(\.\w+)+\.[A-Z]\w*")
STRICT_MODULES = ("components.", "haystack.", "haystack_integrations.", "milvus_haystack.")
SCALARS = (str, int, float, bool, types.NoneType)
ENTRY_KEYS = ("type", "init_parameters")


def check_entry(entry: Any, text: YamlText, component: str, path: Path, nested: bool = False) -> Iterator[Problem]:
    """Check one `{type, init_parameters}` and all others inside of it.

    :param entry: the mapping.
    :param text: the file it stands in.
    :param component: name of the component in the graph that it belongs to.
    :param path: where it stands in the file.
    :param nested: whether it is a parameter of another one; problems then name the class.
    :returns: what is wrong with it.
    """
    if not isinstance(entry, dict) or "type" not in entry:
        yield Problem(text.line(*path), component, "no 'type' is given", "add type: full.path.of.the.Class")
        return
    for key in [k for k in entry if k not in ENTRY_KEYS]:
        remedy = nearest(str(key), ENTRY_KEYS, "a component takes 'type' and 'init_parameters'")
        yield Problem(text.line(*path, str(key)), component, f"unknown key '{key}'", remedy)
    found = find_class(entry["type"])
    if isinstance(found, ClassProblem):
        yield Problem(text.line(*path, "type"), component, found.message, found.remedy)
        return
    if not nested and not hasattr(found, "run"):
        message = f"'{entry['type']}' is not a component"
        yield Problem(text.line(*path, "type"), component, message, "name a class that is decorated with @component")
        return
    parameters = entry.get("init_parameters") or {}
    here = (*path, "init_parameters")
    if not isinstance(parameters, dict):
        message = f"'init_parameters' is a {type(parameters).__name__}"
        yield Problem(text.line(*here), component, message, "write it as name: value lines")
        return
    of_class = f" of {found.__name__}" if nested else ""
    for problem in _check_parameters(found, parameters, of_class):
        key, message, remedy = problem
        yield Problem(text.line(*here, *key), component, message, remedy)
    for key, value in parameters.items():
        yield from _check_nested(value, text, component, (*here, str(key)))


def _check_nested(value: Any, text: YamlText, component: str, path: Path) -> Iterator[Problem]:
    if isinstance(value, dict):
        if isinstance(value.get("type"), str) and ("." in value["type"] or "init_parameters" in value):
            yield from check_entry(value, text, component, path, nested=True)
            return
        for key, item in value.items():
            yield from _check_nested(item, text, component, (*path, str(key)))
    elif isinstance(value, list | tuple):
        for position, item in enumerate(value):
            yield from _check_nested(item, text, component, (*path, position))
    elif isinstance(value, str) and CLASS_PATH.fullmatch(value):
        found = find_class(value, by_own_name=False)
        if isinstance(found, ClassProblem):
            yield Problem(text.line(*path), component, found.message, found.remedy)


def _check_parameters(cls: type, given: dict[Any, Any], of_class: str) -> Iterator[tuple[tuple[str, ...], str, str]]:
    """Yield `(path below init_parameters, message, remedy)`."""
    # Not of the class: a component's metaclass hides the parameters behind *args, **kwargs.
    signature = inspect.signature(cls.__init__)  # type: ignore[misc]
    accepted = [p for p in signature.parameters.values() if p.name != "self"]
    named = {p.name: p for p in accepted if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)}
    takes_any = any(p.kind is p.VAR_KEYWORD for p in accepted)
    hints = _type_hints(cls)
    for name, value in given.items():
        if name not in named:
            # Whatever a class hands on through **kwargs cannot be verified; a known package is held to what it names.
            if not takes_any or f"{cls.__module__}.".startswith(STRICT_MODULES):
                remedy = nearest(str(name), named, f"it takes {listing(named)}")
                yield (str(name),), f"unknown parameter '{name}'{of_class}", remedy
        elif name in hints and (wrong := _wrong_value(value, hints[name])):
            yield (name,), f"parameter '{name}'{of_class} {wrong[0]}", wrong[1]
    for name, parameter in named.items():
        if parameter.default is inspect.Parameter.empty and name not in given:
            yield (), f"parameter '{name}'{of_class} is missing", f"add {name}: … under init_parameters"


def _type_hints(cls: type) -> dict[str, Any]:
    try:
        return typing.get_type_hints(cls.__init__)  # type: ignore[misc]
    except (NameError, TypeError, AttributeError):
        return {}  # annotations that name what is imported for type checkers only: Haystack's loader decides


def _wrong_value(value: Any, annotation: Any) -> tuple[str, str] | None:
    """Return message and remedy when a YAML value does not fit an annotation."""
    members = _members(annotation)
    if Secret in members and str not in members and isinstance(value, str):
        return "is a secret in plain text", "write {type: env_var, env_vars: [NAME_OF_THE_VARIABLE]}"
    try:
        TypeAdapter(_as_yaml(annotation)).validate_python(value, strict=True)
    except ValidationError:
        shown = f"the {type(value).__name__} {value!r}" if isinstance(value, SCALARS) else f"a {type(value).__name__}"
        message = f"takes {_annotation_text(annotation)}, not {'null' if value is None else shown}"
        return message, _value_remedy(value)
    return None


def _value_remedy(value: Any) -> str:
    if isinstance(value, str):
        return "write the value without quotes" if re.fullmatch(r"[\d.]+|true|false", value) else "change the value"
    if isinstance(value, bool):
        return "put it in quotes if it is meant as text: YAML reads on, off, yes and no as true and false"
    return "change the value"


def _annotation_text(annotation: Any) -> str:
    return re.sub(r"\b(?:[a-z_]\w*\.)+(?=[A-Z])", "", inspect.formatannotation(annotation))


def _members(annotation: Any) -> tuple[Any, ...]:
    if typing.get_origin(annotation) in (Union, types.UnionType):
        return typing.get_args(annotation)
    return (annotation,)


def _as_yaml(annotation: Any) -> Any:
    """Return the type that the YAML form of an annotated value has.

    Numbers, texts and their lists and mappings stand as they are; an object is a mapping (`{type, init_parameters}`)
    or, as callables, types and enumerations are, a text that its class reads.
    """
    origin, args = typing.get_origin(annotation), typing.get_args(annotation)
    if annotation in SCALARS or annotation is Any or origin is Literal:
        return annotation
    if origin in (Union, types.UnionType):
        return Union[tuple(_as_yaml(arg) for arg in args)]  # noqa: UP007 - the members are known at run time only
    container = origin or annotation
    if container in (dict, collections.abc.Mapping, collections.abc.MutableMapping):
        return dict[Any, _as_yaml(args[1]) if len(args) == 2 else Any]  # type: ignore[misc]
    if container in (list, collections.abc.Sequence, collections.abc.Iterable, set, frozenset):
        return list[_as_yaml(args[0]) if len(args) == 1 else Any]  # type: ignore[misc]
    is_object = isinstance(container, type) and container is not tuple and not issubclass(container, enum.Enum)
    return str | dict[Any, Any] if is_object else Any
