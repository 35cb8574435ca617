"""Entries of a TOML configuration file: the rest of the text, comments included, stays as it is."""

from typing import Any

import tomlkit
from tomlkit.exceptions import TOMLKitError
from tomlkit.items import Comment, InlineTable, Table, Whitespace


def toml_entry(text: str, section: str, name: str) -> Any:
    """Return the value of `section.name`; None if there is none.

    :raises ValueError: if the text is no TOML (says at which line), or `section` no table.
    """
    return _parse(text, section).unwrap().get(section, {}).get(name)


def with_toml_entry(text: str, section: str, name: str, value: dict[str, Any] | None) -> str:
    """Return the text with the table `[section.name]` set to a mapping, or without it if that is None.

    A new table goes to the end: in the middle it would come between a header and the comment above it.

    :raises ValueError: if the text is no TOML (says at which line), or `section` no table that can be added to.
    """
    document = _parse(text, section)
    entries: Any = document.get(section, {})
    if document.unwrap().get(section, {}).get(name) == value:
        return text
    added = ""
    if value is None:
        added = "".join(_trailing_comments(entries[name]))
        del entries[name]
    elif name in entries:
        _set(entries[name], value)
    elif isinstance(entries, InlineTable):
        raise ValueError(f"{section!r} in it is an inline table, to which no other table can be added")
    else:
        added = tomlkit.dumps({section: {name: value}})
    changed = "\n\n".join(part for part in (tomlkit.dumps(document).strip("\r\n"), added.strip("\r\n")) if part) + "\n"
    return changed.replace("\r\n", "\n").replace("\n", "\r\n" if "\r\n" in text else "\n")


def _parse(text: str, section: str) -> tomlkit.TOMLDocument:
    try:
        document = tomlkit.parse(text)
    except TOMLKitError as error:
        raise ValueError(f"it is no TOML ({error})") from None
    if not isinstance(document.get(section, {}), dict):
        raise ValueError(f"{section!r} in it is no table, but {type(document.unwrap()[section]).__name__}")
    return document


def _set(table: Any, value: dict[str, Any]) -> None:
    """Change what differs, in its place, so that the comments in the table stay."""
    for key in [key for key in table if key not in value]:
        del table[key]
    for key, item in value.items():
        if isinstance(item, dict) and isinstance(table.get(key), dict):
            _set(table[key], item)
        elif table.get(key) != item:
            table[key] = item


def _trailing_comments(table: Any) -> list[str]:
    """Return the comments at the end of a table, which stand above the next header."""
    found: list[str] = []
    for _, item in reversed(table.value.body if isinstance(table, Table) else []):
        if isinstance(item, Table):
            return [*_trailing_comments(item), *found]
        if not isinstance(item, Comment | Whitespace):
            break
        if isinstance(item, Comment):
            found.insert(0, item.as_string())
    return found
