"""Entries of a TOML configuration file, changed in place: the rest of the text, comments included, stays as it is."""

import json
import re
import tomllib
from typing import Any

HEADER = re.compile(r"^[ \t]*\[", re.MULTILINE)
TEXT_OR_COMMENT = re.compile(r'"""(?:\\.|.)*?"""|\'\'\'.*?\'\'\'|"(?:\\.|[^"\\\n])*"|\'[^\'\n]*\'|#[^\n]*', re.DOTALL)
BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")


def toml_entry(text: str, section: str, name: str) -> Any:
    """Return the value of `section.name`; None if there is none.

    :raises ValueError: if the text is no TOML (says at which line), or `section` no table.
    """
    return _parse(text, section).get(section, {}).get(name)


def with_toml_entry(text: str, section: str, name: str, value: dict[str, Any] | None) -> str:
    """Return the text with the table `[section.name]` set to a mapping, or without it if that is None.

    :param value: strings, numbers, booleans, lists, and mappings, which become tables of their own.
    :raises ValueError: if the text is no TOML (says at which line), `section` no table, or the entry is written such
        (as an inline table, with dotted keys) that it cannot be changed without changing anything else.
    """
    wanted = _parse(text, section)
    if value is None:
        if wanted.get(section, {}).pop(name, None) is None:
            return text
    else:
        wanted.setdefault(section, {})[name] = value
    newline = "\r\n" if "\r\n" in text else "\n"
    before, after = _around(text, section, name)
    tables = newline.join(_tables(f"{section}.{_key(name)}", value)) if value is not None else ""
    parts = (before.rstrip("\r\n"), tables, after.strip("\r\n"))
    changed = (newline * 2).join(part for part in parts if part) + newline
    if _same(_parse(changed, section), section) != _same(wanted, section):
        raise ValueError(f"{name!r} in it cannot be changed without touching the rest")
    return changed


def _parse(text: str, section: str) -> dict[str, Any]:
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"it is no TOML ({error})") from None
    if not isinstance(document.get(section, {}), dict):
        raise ValueError(f"{section!r} in it is no table, but {type(document[section]).__name__}")
    return document


def _same(document: dict[str, Any], section: str) -> dict[str, Any]:
    """Return a document in which an empty section counts as none: a table that is not written is not there."""
    return {key: value for key, value in document.items() if key != section or value}


def _around(text: str, section: str, name: str) -> tuple[str, str]:
    """Return what stands before and after the tables of an entry; comments above a header belong to that header."""
    part = rf"(?:{re.escape(name)}|\"{re.escape(name)}\"|'{re.escape(name)}')"
    own = re.compile(rf"[ \t]*\[[ \t]*{re.escape(section)}[ \t]*\.[ \t]*{part}[ \t]*[\].]")
    plain = TEXT_OR_COMMENT.sub(lambda match: re.sub(r"[^\r\n]", " ", match.group()), text)
    starts = [match.start() for match in HEADER.finditer(plain)]
    pieces = [text[start:end] for start, end in zip([0, *starts], [*starts, len(text)], strict=True)]
    before: list[str] = []
    after: list[str] = []
    seen = False
    for piece in pieces:
        if own.match(piece):
            seen = True
            after.append(_trailing_comments(piece))
        else:
            (after if seen else before).append(piece)
    return "".join(before), "".join(after)


def _trailing_comments(piece: str) -> str:
    lines = piece.splitlines(keepends=True)
    count = 0
    while count < len(lines) and (not lines[-1 - count].strip() or lines[-1 - count].lstrip().startswith("#")):
        count += 1
    return "".join(lines[len(lines) - count :]).lstrip("\r\n")


def _tables(path: str, value: dict[str, Any]) -> list[str]:
    plain = {key: item for key, item in value.items() if not isinstance(item, dict)}
    lines = [f"[{path}]", *(f"{_key(key)} = {_shown(item)}" for key, item in plain.items())]
    for key, item in value.items():
        if isinstance(item, dict):
            lines += ["", *_tables(f"{path}.{_key(key)}", item)]
    return lines


def _key(name: str) -> str:
    return name if BARE_KEY.fullmatch(name) else _shown(name)


def _shown(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_key(key)} = {_shown(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_shown, value)) + "]"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    return json.dumps(value) if isinstance(value, bool) else str(value)
