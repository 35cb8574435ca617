"""Entries of a JSON configuration file; what else it holds stays."""

import json
from typing import Any


def json_entry(text: str, section: str, name: str) -> Any:
    """Return the value of `section.name`; None if there is none.

    :param text: a JSON object; an empty text counts as one.
    :raises ValueError: if the text is no JSON (says at which line), or `section` no object.
    """
    return _parse(text, section).get(section, {}).get(name)


def with_json_entry(text: str, section: str, name: str, value: Any) -> str:
    """Return the text with `section.name` set to a value, or without it if the value is None.

    :param text: as for `json_entry`.
    :raises ValueError: if the text is no JSON (says at which line), or `section` no object.
    """
    document = _parse(text, section)
    entries = document.get(section, {})
    if entries.get(name) == value:
        return text
    if value is None:
        del entries[name]
    else:
        document[section] = {**entries, name: value}
    changed = json.dumps(document, ensure_ascii=False, indent=2) + "\n"
    return changed.replace("\n", "\r\n") if "\r\n" in text else changed


def _parse(text: str, section: str) -> dict[str, Any]:
    try:
        document = json.loads(text) if text.strip() else {}
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}: {error.msg}"
        raise ValueError(f"it is no JSON ({place}; comments are not JSON either)") from None
    if not isinstance(document, dict):
        raise ValueError(f"it is no JSON object, but {type(document).__name__}")
    if not isinstance(document.get(section, {}), dict):
        raise ValueError(f"{section!r} in it is no object, but {type(document[section]).__name__}")
    return document
