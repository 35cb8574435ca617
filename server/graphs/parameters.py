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

from khub.components.errors import ParameterError
from khub.components.own_names import EVALUATORS, OWN
from khub.components.stores.store_template import StoreTemplate
from khub.components.text.nearest_name import nearest
from khub.server.graphs.classes import CLASS_UNKNOWN, ClassProblem, find_class
from khub.server.graphs.problem import Problem, listing
from khub.server.graphs.yaml_lines import Path, YamlText

CLASS_PATH = re.compile(r"(haystack|haystack_integrations|khub|milvus_haystack)(\.\w+)+\.[A-Z]\w*")
STRICT_MODULES = (OWN, EVALUATORS, "haystack.", "haystack_integrations.", "milvus_haystack.")
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
    found = None
    for found in _check_class(entry, text, component, path, nested):
        if isinstance(found, Problem):
            yield found
    if not isinstance(found, type):
        return
    parameters = entry.get("init_parameters", {})
    here = (*path, "init_parameters")
    if not isinstance(parameters, dict):
        if parameters is None:
            message, remedy = "'init_parameters' holds nothing", "write {} after it, or leave it out"
        else:
            message, remedy = f"'init_parameters' is a {type(parameters).__name__}", "write it as name: value lines"
        yield Problem(text.line(*here), component, message, remedy, ParameterError.code)
        return
    of_class = f" of {found.__name__}" if nested else ""
    for problem in _check_parameters(found, parameters, of_class):
        key, message, remedy, code = problem
        yield Problem(text.line(*here, *key), component, message, remedy, code)
    for key, value in parameters.items():
        yield from _check_nested(value, text, component, (*here, str(key)))
    if found is StoreTemplate:
        yield from _check_template(parameters, text, component, here)


def _check_class(entry: Any, text: YamlText, component: str, path: Path, nested: bool) -> Iterator[Problem | type]:
    """Yield what is wrong with an entry's keys and its type; and last, if it can be used, its class."""
    if not isinstance(entry, dict):
        held = "nothing" if entry is None else f"a value of type {type(entry).__name__}"
        message = f"'{path[-1]}' holds {held}, not a component"
        yield Problem(text.line(*path), component, message, "write type: and init_parameters: below it")
        return
    unknown = [key for key in entry if key not in ENTRY_KEYS and not isinstance(key, bool)]
    for key in unknown:
        remedy = nearest(str(key), ENTRY_KEYS, "a component takes 'type' and 'init_parameters'")
        yield Problem(text.line(*path, str(key)), component, f"unknown key '{key}'", remedy)
    if "type" not in entry:
        if not any(nearest(str(key), ["type"], "") for key in unknown):
            yield Problem(text.line(*path), component, "no 'type' is given", "add type: full.path.of.the.Class")
        return
    found = find_class(entry["type"])
    if isinstance(found, ClassProblem):
        yield Problem(text.line(*path, "type"), component, found.message, found.remedy, found.code)
    elif not nested and not hasattr(found, "run"):
        message = f"'{entry['type']}' is not a component"
        remedy = "name a class that is decorated with @component"
        yield Problem(text.line(*path, "type"), component, message, remedy, CLASS_UNKNOWN)
    else:
        yield found


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
            yield Problem(text.line(*path), component, found.message, found.remedy, found.code)


def _check_template(parameters: dict[str, Any], text: YamlText, component: str, path: Path) -> Iterator[Problem]:
    """Check what a template keeps as data: its store, and the path of its retriever."""
    store, retriever = parameters.get("store"), parameters.get("retriever")
    if isinstance(store, dict) and "type" not in store:
        yield from check_entry(store, text, component, (*path, "store"), nested=True)
    if isinstance(retriever, str) and not CLASS_PATH.fullmatch(retriever):
        found = find_class(retriever, by_own_name=False)
        if isinstance(found, ClassProblem):
            yield Problem(text.line(*path, "retriever"), component, found.message, found.remedy, found.code)


def _check_parameters(
    cls: type, given: dict[Any, Any], of_class: str
) -> Iterator[tuple[tuple[str, ...], str, str, str]]:
    """Yield `(path below init_parameters, message, remedy, code)`."""
    named, takes_any = named_parameters(cls)
    hints = type_hints(cls)
    unknown = [str(name) for name in given if name not in named]
    for name, value in given.items():
        if isinstance(name, bool):
            continue  # a key such as `no`, which is told of already
        if name not in named:
            if not takes_any:
                remedy = nearest(str(name), named, f"it takes {listing(named)}")
                yield (str(name),), f"unknown parameter '{name}'{of_class}", remedy, "graph_parameter_unknown"
        elif name in hints and (wrong := _wrong_value(value, hints[name])):
            yield (name,), f"parameter '{name}'{of_class} {wrong[0]}", wrong[1], ParameterError.code
        elif name in hints and isinstance(value, dict) and "type" not in value and takes_entry(hints[name]):
            message = f"parameter '{name}'{of_class} has no 'type'"
            yield (name,), message, "add type: full.path.of.the.Class below it", ParameterError.code
    for name, parameter in named.items():
        if name in given or any(nearest(other, [name], "") for other in unknown):
            continue  # what is mistyped is not told of as missing, too
        if parameter.default is inspect.Parameter.empty:
            message = f"parameter '{name}'{of_class} is missing"
            yield (), message, f"add {name}: … under init_parameters", ParameterError.code


def named_parameters(cls: type) -> tuple[dict[str, inspect.Parameter], bool]:
    """Return the parameters of a class by name, and whether it takes others besides.

    Whatever a class hands on through **kwargs cannot be verified; a known package is held to what it names.
    """
    # Not of the class: a component's metaclass hides the parameters behind *args, **kwargs.
    signature = inspect.signature(cls.__init__)  # type: ignore[misc]
    accepted = [p for p in signature.parameters.values() if p.name != "self"]
    named = {p.name: p for p in accepted if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)}
    return named, any(p.kind is p.VAR_KEYWORD for p in accepted) and not f"{cls.__module__}.".startswith(STRICT_MODULES)


def type_hints(cls: type) -> dict[str, Any]:
    """Return the annotations of a class's parameters, as far as they can be known."""
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
        TypeAdapter(as_yaml(annotation)).validate_python(value, strict=True)
    except ValidationError:
        shown = f"the {type(value).__name__} {value!r}" if isinstance(value, SCALARS) else f"a {type(value).__name__}"
        message = f"takes {_annotation_text(annotation)}, not {'null' if value is None else shown}"
        return message, "write type: and init_parameters: below it" if takes_entry(annotation) else _value_remedy(value)
    return None


def _value_remedy(value: Any) -> str:
    if isinstance(value, str):
        return "write the value without quotes" if re.fullmatch(r"[\d.]+|true|false", value) else "change the value"
    if isinstance(value, bool):
        return "put it in quotes if it is meant as text: YAML reads on, off, yes and no as true and false"
    return "change the value"


def _annotation_text(annotation: Any) -> str:
    return re.sub(r"(?<![\w.])(?:[a-z_]\w*+\.)++(?=[A-Z])", "", inspect.formatannotation(annotation))


def _members(annotation: Any) -> tuple[Any, ...]:
    if typing.get_origin(annotation) in (Union, types.UnionType):
        return typing.get_args(annotation)
    return (annotation,)


def takes_entry(annotation: Any) -> bool:
    """Whether a value can only be an object that Haystack builds from `{type, init_parameters}`."""
    members = [member for member in _members(annotation) if member is not types.NoneType]
    return all(member is StoreTemplate or getattr(member, "_is_protocol", False) for member in members)


def as_yaml(annotation: Any) -> Any:
    """Return the type that the YAML form of an annotated value has.

    Numbers, texts and their lists and mappings stand as they are; an object is a mapping (`{type, init_parameters}`)
    or, as callables, types and enumerations are, a text that its class reads.
    """
    origin, args = typing.get_origin(annotation), typing.get_args(annotation)
    if annotation in SCALARS or annotation is Any or origin is Literal:
        return annotation
    if origin in (Union, types.UnionType):
        return Union[tuple(as_yaml(arg) for arg in args)]  # noqa: UP007 - the members are known at run time only
    container = origin or annotation
    if container is Secret or takes_entry(annotation):
        return dict[Any, Any]
    if container in (dict, collections.abc.Mapping, collections.abc.MutableMapping):
        return dict[Any, as_yaml(args[1]) if len(args) == 2 else Any]  # type: ignore[misc]
    if container in (list, collections.abc.Sequence, collections.abc.Iterable, set, frozenset):
        return list[as_yaml(args[0]) if len(args) == 1 else Any]  # type: ignore[misc]
    is_object = isinstance(container, type) and container is not tuple and not issubclass(container, enum.Enum)
    return str | dict[Any, Any] if is_object else Any
