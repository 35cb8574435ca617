"""The JSON Schema of graph files, by which YAML editors complete and check them while one writes."""

import inspect
import json
import re
from typing import Any

import docstring_parser
from haystack.utils import Secret
from pydantic import TypeAdapter
from pydantic.errors import PydanticUserError

from khub.components.own_names import EVALUATORS, OWN
from khub.server.graphs.catalogue import component_classes, part_classes
from khub.server.graphs.parameters import as_yaml, named_parameters, takes_entry, type_hints
from khub.server.graphs.sections import KINDS

DIALECT = "https://json-schema.org/draft/2020-12/schema"
COMPONENT = {"$ref": "#/$defs/component"}
VALUE, OBJECT = {"$ref": "#/$defs/value"}, {"$ref": "#/$defs/object"}
SOCKET = {"type": "string", "pattern": r"^[^.]+\.[^.]+$"}

Schema = dict[str, Any]


def graph_schema() -> Schema:
    """Return the schema: each component that can be used here, with the types and defaults of its parameters.

    Nothing is built: the classes' signatures and docstrings say it all.
    """
    components, parts = component_classes(), part_classes()
    definitions = {_key(path): _parameters(cls) for path, cls in {**components, **parts}.items()}
    return {
        "$schema": DIALECT,
        "title": "Graph of the knowledge hub",
        "type": "object",
        "required": ["metadata", "components", "inputs", "outputs"],
        "additionalProperties": False,
        "properties": {**_sections(), "components": _entries(COMPONENT)},
        "$defs": {
            "component": _entry(components, closed=True),
            "object": _entry({**components, **parts}, closed=False),
            "value": _value(),
            **definitions,
        },
    }


def _entries(of: Schema) -> Schema:
    return {"type": "object", "minProperties": 1, "additionalProperties": of}


def _sections() -> Schema:
    sockets = {"anyOf": [SOCKET, {"type": "array", "minItems": 1, "items": SOCKET}]}
    name = {"type": "string", "minLength": 1}
    connection = {
        "type": "object",
        "required": ["sender", "receiver"],
        "additionalProperties": False,
        "properties": {"sender": name, "receiver": name},
    }
    return {
        "metadata": {
            "type": "object",
            "required": ["kind"],
            "properties": {"kind": {"enum": list(KINDS)}, "description": {"type": "string"}, "guard": _guard()},
        },
        "connections": {"type": "array", "items": connection, "description": "What flows from where to where."},
        "inputs": {**_entries(sockets), "description": "Name of an input: the socket, or sockets, that it feeds."},
        "outputs": {**_entries(SOCKET), "description": "Name of an output: its socket."},
        "max_runs_per_component": {"type": "integer", "minimum": 1, "default": 100},
        "connection_type_validation": {"type": "boolean", "default": True},
        "streaming_components": {},
    }


def _guard() -> Schema:
    return {
        "type": "object",
        "description": "What a stage may take, and that another goes on with what is there when it fails.",
        "required": ["timeout_s"],
        "additionalProperties": False,
        "properties": {
            "timeout_s": {"type": "number", "exclusiveMinimum": 0, "description": "Seconds of each stage."},
            "stages": {
                "type": "object",
                "additionalProperties": {"type": ["number", "null"], "exclusiveMinimum": 0},
                "description": "Stage: its own seconds, or null for no guard.",
            },
            "max_hung": {
                "type": "integer",
                "minimum": 1,
                "default": 2,
                "description": "Calls of a stage that may hang.",
            },
        },
    }


def _entry(classes: dict[str, type], closed: bool) -> Schema:
    """Return the schema of `{type, init_parameters}`.

    :param closed: whether only these classes may be named. Inside of components stand others, such as secrets; the
        hub's own are all known.
    """
    known: list[Schema] = [{"const": path, "description": _summary(cls)} for path, cls in classes.items()]
    others: list[Schema] = [] if closed else [{"not": {"pattern": f"^({re.escape(OWN)}|{re.escape(EVALUATORS)})"}}]
    schema: Schema = {
        "type": "object",
        "required": ["type"],
        "properties": {
            "type": {"type": "string", "anyOf": known + others},
            "init_parameters": {"type": "object"},
        },
        "allOf": [_if_of_type(path, cls) for path, cls in classes.items()],
    }
    if closed:
        schema["additionalProperties"] = False
    return schema


def _if_of_type(path: str, cls: type) -> Schema:
    then: Schema = {"properties": {"init_parameters": {"$ref": f"#/$defs/{_key(path)}"}}}
    if any(p.default is p.empty for p in named_parameters(cls)[0].values()):
        then["required"] = ["init_parameters"]
    return {"if": {"properties": {"type": {"const": path}}, "required": ["type"]}, "then": then}


def _value() -> Schema:
    """Return the schema of any value: an object in it, however deep, is one of a class."""
    is_object = {"type": "object", "required": ["type"], "properties": {"type": {"pattern": r"\."}}}
    return {
        "if": is_object,
        "then": OBJECT,
        "else": {"additionalProperties": VALUE, "items": VALUE},
    }


def _key(path: str) -> str:
    return f"parameters of {path}".replace(" ", "-")


def _parameters(cls: type) -> Schema:
    named, takes_any = named_parameters(cls)
    hints, texts = type_hints(cls), _descriptions(cls)
    properties = {}
    for name, parameter in named.items():
        properties[name] = _of_type(hints.get(name, Any))
        if text := texts.get(name):
            properties[name]["description"] = text
        if parameter.default is not inspect.Parameter.empty and _is_plain(parameter.default):
            properties[name]["default"] = parameter.default
    required = [name for name, p in named.items() if p.default is inspect.Parameter.empty]
    return {
        "type": "object",
        "description": _summary(cls),
        "properties": properties,
        "required": required,
        "additionalProperties": takes_any,
    }


def _of_type(annotation: Any) -> Schema:
    """Return the schema of a parameter, as `khub.server.graphs.parameters` checks it."""
    if annotation is Secret or takes_entry(annotation):
        return dict(OBJECT)
    try:
        found = TypeAdapter(as_yaml(annotation)).json_schema()
    except PydanticUserError:
        found = {}
    result: Schema = _with_objects(found)
    return result


def _with_objects(schema: Any) -> Any:
    """Return a schema in which free values and mappings are the ones that may hold objects of classes."""
    if isinstance(schema, list):
        return [_with_objects(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    if not schema or schema == {"type": "object", "additionalProperties": True}:
        return {**schema, **VALUE}
    return {
        key: value if key in ("enum", "const", "default") else _with_objects(value) for key, value in schema.items()
    }


def _is_plain(value: Any) -> bool:
    try:
        return bool(json.loads(json.dumps(value, allow_nan=False)) == value)
    except (TypeError, ValueError):
        return False


def _summary(cls: type) -> str:
    return docstring_parser.parse(inspect.getdoc(cls) or "").short_description or cls.__name__


def _descriptions(cls: type) -> dict[str, str]:
    texts = (inspect.getdoc(cls), inspect.getdoc(cls.__init__))  # type: ignore[misc]
    found = [parameter for text in texts for parameter in docstring_parser.parse(text or "").params]
    return {parameter.arg_name: " ".join((parameter.description or "").split()) for parameter in found}
