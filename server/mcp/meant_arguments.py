"""Arguments as models send them, made into what the tool's schema says."""

from typing import Any


def meant_arguments(schema: dict[str, Any], arguments: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments of a call as they are meant; what stays wrong is refused by the tool's own checks.

    An optional argument that is null, empty or blank counts as not given: strict modes let a model leave nothing out. A
    number stands for its text, and one value for a list of it.

    :param schema: of the tool's arguments, as it is published.
    """
    properties, required = schema.get("properties", {}), schema.get("required", ())
    return {
        name: _meant(properties.get(name, {}).get("type"), value)
        for name, value in arguments.items()
        if name in required or not _is_empty(value)
    }


def _is_empty(value: Any) -> bool:
    return value is None or value in ([], {}) or (isinstance(value, str) and not value.strip())


def _meant(kind: str | None, value: Any) -> Any:
    if kind == "string" and isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if kind == "string" and isinstance(value, float):
        return str(int(value) if value.is_integer() else value)
    if kind == "array" and (isinstance(value, dict) or (isinstance(value, str) and not value.lstrip().startswith("["))):
        return [value]
    return value
