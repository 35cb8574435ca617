"""The file of one server as Continue reads it: a block with a list of servers."""

from typing import Any

import yaml

BLOCK = {"name": "Knowledge Hub", "version": "0.0.1", "schema": "v1"}


def yaml_entry(text: str, section: str, name: str) -> Any:
    """Return the item of the list `section` that is called `name`; None if there is none.

    :raises ValueError: if the text is no YAML (says at which line), or `section` no list.
    """
    return next((item for item in _parse(text, section).get(section) or [] if _called(item, name)), None)


def with_yaml_entry(text: str, section: str, name: str, value: dict[str, Any] | None) -> str:
    """Return the text with an item of the list `section` set to a mapping, or without it if that is None.

    Other items and fields are kept, comments are not: the file is one of the hub's own.

    :returns: an empty text if nothing would be left in the list.
    :raises ValueError: if the text is no YAML (says at which line), or `section` no list.
    """
    document = _parse(text, section)
    items = [item for item in document.get(section) or [] if not _called(item, name)]
    if value is not None:
        items.append({"name": name, **{key: item for key, item in value.items() if key != "name"}})
    if not items:
        return ""
    return yaml.safe_dump({**BLOCK, **document, section: items}, sort_keys=False, allow_unicode=True, width=1000)


def _parse(text: str, section: str) -> dict[str, Any]:
    try:
        document = yaml.safe_load(text) or {}
    except yaml.YAMLError as error:
        raise ValueError(f"it is no YAML ({' '.join(str(error).split())})") from None
    if not isinstance(document, dict):
        raise ValueError(f"it is no YAML mapping, but {type(document).__name__}")
    if not isinstance(document.get(section) or [], list):
        raise ValueError(f"{section!r} in it is no list, but {type(document[section]).__name__}")
    return document


def _called(item: Any, name: str) -> bool:
    return isinstance(item, dict) and item.get("name") == name
