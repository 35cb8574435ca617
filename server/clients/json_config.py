"""Entries of a JSON configuration file, changed in place: the rest of the text, comments included, stays as it is."""

import json
import re
from json import JSONDecodeError, JSONDecoder
from typing import Any, NamedTuple

STRING_OR_COMMENT = re.compile(r'"(?:\\.|[^"\\])*"|//[^\n]*|/\*.*?\*/', re.DOTALL)
STRING_OR_TRAILING_COMMA = re.compile(r'"(?:\\.|[^"\\])*"|,(?=\s*[}\]])', re.DOTALL)
SPACE = re.compile(r"\s*")
INDENT = "  "


class Member(NamedTuple):
    """A member of an object, by its offsets in the text: `text[key:end]` is `"name": value`."""

    name: str
    key: int
    value: int
    end: int


def json_entry(text: str, section: str, name: str, comments: bool) -> Any:
    """Return the value of `section.name`; None if there is none.

    :param text: a JSON object; an empty text counts as one.
    :param comments: whether the file's owner reads comments and trailing commas, as Visual Studio Code does.
    :raises ValueError: if the text is no JSON (says at which line), or `section` no object.
    """
    return _parse(text, section, comments).get(section, {}).get(name)


def with_json_entry(text: str, section: str, name: str, value: Any, comments: bool) -> str:
    """Return the text with `section.name` set to a value, or without it if the value is None.

    :param text: a JSON object; an empty text counts as one.
    :param comments: whether the file's owner reads comments and trailing commas.
    :raises ValueError: if the text is no JSON (says at which line), `section` no object, or the text is such that the
        entry cannot be changed without changing anything else.
    """
    wanted = _parse(text, section, comments)
    if value is None:
        wanted.get(section, {}).pop(name, None)
    else:
        wanted.setdefault(section, {})[name] = value
    changed = _changed(text, section, name, value, comments)
    if _parse(changed, section, comments) != wanted:
        raise ValueError(f"{name!r} in it cannot be changed without touching the rest")
    return changed


def _parse(text: str, section: str, comments: bool) -> dict[str, Any]:
    plain = _plain(text, comments)
    if not plain.strip():
        return {}
    try:
        document = json.loads(plain)
    except JSONDecodeError as error:
        raise ValueError(f"it is no JSON (line {error.lineno}, column {error.colno}: {error.msg})") from None
    if not isinstance(document, dict):
        raise ValueError(f"it is no JSON object, but {type(document).__name__}")
    if not isinstance(document.get(section, {}), dict):
        raise ValueError(f"{section!r} in it is no object, but {type(document[section]).__name__}")
    return document


def _changed(text: str, section: str, name: str, value: Any, comments: bool) -> str:
    plain = _plain(text, comments)
    if not plain.strip():
        return _shown({section: {name: value}} if value is not None else {}, 0, "\n") + "\n"
    newline = "\r\n" if "\r\n" in text else "\n"
    top = plain.index("{")
    holder = _member(plain, top, section)
    if value is None:
        return _without(text, plain, holder.value, name) if holder else text
    if holder is None:
        return _with(text, plain, top, 1, section, _shown({name: value}, 1, newline), newline)
    return _with(text, plain, holder.value, 2, name, _shown(value, 2, newline), newline)


def _plain(text: str, comments: bool) -> str:
    """Return the text with blanks for comments and trailing commas, of the same length."""
    if not comments:
        return text
    return STRING_OR_TRAILING_COMMA.sub(_blank, STRING_OR_COMMENT.sub(_blank, text))


def _blank(match: re.Match[str]) -> str:
    found = match.group()
    return found if found.startswith('"') else re.sub(r"[^\r\n]", " ", found)


def _with(text: str, plain: str, start: int, depth: int, name: str, shown: str, newline: str) -> str:
    """Return the text with a member of the object at `start`, which lies `depth` deep; a new one becomes the first."""
    old = _member(plain, start, name)
    if old is not None:
        return text[: old.value] + shown + text[old.end :]
    lead, rest = newline + INDENT * depth, text[start + 1 :]
    first = f"{text[: start + 1]}{lead}{json.dumps(name, ensure_ascii=False)}: {shown}"
    if _members(plain, start):
        return f"{first},{rest if rest[:1].isspace() else lead + rest}"
    return f"{first}{newline}{INDENT * (depth - 1)}{rest.lstrip()}" if rest.lstrip()[:1] == "}" else first + rest


def _without(text: str, plain: str, start: int, name: str) -> str:
    """Return the text without a member of the object at `start`, and without one of the commas around it."""
    members = _members(plain, start)
    gone = _member(plain, start, name)
    if gone is None:
        return text
    commas = STRING_OR_COMMENT.sub(_blank, text) if plain != text else text
    after = _after_space(commas, gone.end)
    if commas[after] == ",":
        return text[: gone.key] + text[after + 1 :].lstrip()
    place = members.index(gone)
    before = text[start + 1 : gone.key]
    if place:
        comma = commas.index(",", members[place - 1].end)
        before = text[start + 1 : comma] + text[comma + 1 : gone.key]
    rest = text[gone.end :]
    line_end = "" if plain == text or rest[:1] in "\r\n" else "\n"  # what is before may end in a comment
    return text[: start + 1] + before.rstrip() + line_end + rest


def _member(plain: str, start: int, name: str) -> Member | None:
    """Return the member of that name that counts: of several the last one does."""
    return next((member for member in reversed(_members(plain, start)) if member.name == name), None)


def _members(plain: str, start: int) -> list[Member]:
    """Return the members of the object that begins at an offset of a text that is known to be JSON."""
    decoder, found, at = JSONDecoder(), [], _after_space(plain, start + 1)
    while plain[at] == '"':
        name, after = decoder.raw_decode(plain, at)
        value = _after_space(plain, _after_space(plain, after) + 1)
        end = decoder.raw_decode(plain, value)[1]
        found.append(Member(name, at, value, end))
        at = _after_space(plain, end)
        if plain[at] == ",":
            at = _after_space(plain, at + 1)
    return found


def _after_space(plain: str, at: int) -> int:
    match = SPACE.match(plain, at)
    return match.end() if match else at


def _shown(value: Any, depth: int, newline: str) -> str:
    lines = json.dumps(value, ensure_ascii=False, indent=len(INDENT)).split("\n")
    return (newline + INDENT * depth).join(lines)
