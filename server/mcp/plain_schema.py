"""The schema of a tool's arguments as every client takes it.

Published is what OpenAI's strict mode and Gemini's older subset know, too: no union with null (an optional argument is
one that is not required), no open object, and no bound but of numbers. Bounds are held to when a tool is called.
"""

from typing import Any

LEFT_OUT = ("title", "default", "minLength", "maxLength", "minItems", "maxItems", "pattern", "additionalProperties")


def plain_schema(schema: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of a tool's arguments with nothing in it that some client refuses.

    :param schema: an object's, as pydantic makes it.
    """
    properties = {name: _plain(one) for name, one in schema.get("properties", {}).items()}
    required = {"required": schema["required"]} if schema.get("required") else {}
    return {"type": "object", "properties": properties, **required}


def without_titles(schema: Any) -> Any:
    """Return a schema without the titles that only repeat the names of its fields."""
    return _without(schema, ("title",))


def lean_schema(schema: dict[str, Any]) -> dict[str, Any]:
    """Return a value's schema as a list of tools has room for it: its inner values are told by their names alone."""
    inner = {name: _without(one, ("title", "default", "description")) for name, one in schema["$defs"].items()}
    return {**_without(schema, ("title", "default")), "$defs": inner}


def _without(schema: Any, keys: tuple[str, ...]) -> Any:
    if isinstance(schema, list):
        return [_without(one, keys) for one in schema]
    if not isinstance(schema, dict):
        return schema
    return {key: _without(one, keys) for key, one in schema.items() if key not in keys or isinstance(one, dict)}


def _plain(schema: dict[str, Any]) -> dict[str, Any]:
    kinds = [one for one in schema.get("anyOf", ()) if one.get("type") != "null"]
    if kinds:  # what a client may send beside the first kind is taken, and not told
        schema = {**kinds[0], **{key: value for key, value in schema.items() if key != "anyOf"}}
    kept = {key: value for key, value in schema.items() if key not in LEFT_OUT}
    return {**kept, "items": _plain(kept["items"])} if "items" in kept else kept
