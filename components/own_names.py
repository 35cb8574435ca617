"""Names of the hub's own classes in graphs and catalogs, also as they were in version 0.1.0."""

import re
from typing import Any

OWN = "khub.components."
"""What the path of each of the hub's own component classes begins with."""
FIRST = "components."
"""What it began with in 0.1.0."""
_OF_FIRST = re.compile(rf"{re.escape(FIRST)}(?:\w+\.)+[A-Z]\w*")


def current_name(text: str) -> str:
    """Return the path of a class of the hub's own as it is called now; any other text as it is."""
    return OWN + text.removeprefix(FIRST) if _OF_FIRST.fullmatch(text) else text


def with_current_names(value: Any) -> Any:
    """Return plain data of JSON or YAML with every path of a class of the hub's own as it is called now."""
    if isinstance(value, str):
        return current_name(value)
    if isinstance(value, list):
        return [with_current_names(item) for item in value]
    if isinstance(value, dict):
        return {key: with_current_names(item) for key, item in value.items()}
    return value


def with_first_names(text: str) -> str:
    """Return a text with the names of 0.1.0 for the hub's own classes: what is hashed keeps them."""
    return text.replace(OWN, FIRST)
