"""A component as graphs hold it."""

from typing import Any, TypedDict


class ComponentEntry(TypedDict):
    """What Haystack serializes of a component, a store or a model: its class, and the arguments that made it."""

    type: str
    init_parameters: dict[str, Any]
