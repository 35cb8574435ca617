"""What the groups of an issuer open: `{home}/oidc.yaml`, read again as soon as it changes."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import yaml

from khub.components.bounded_yaml import load_yaml
from khub.components.errors import FileError
from khub.components.home import hub_home

FILE = "oidc.yaml"


@dataclass(frozen=True)
class Rights:
    """What a group, or all groups of a person together, open.

    :param levels: access levels; None: all.
    :param collections: that exist for it; None: all.
    """

    write: bool = False
    levels: frozenset[str] | None = frozenset()
    collections: frozenset[str] | None = frozenset()


def groups_path() -> Path:
    """Return where the groups stand."""
    return hub_home() / FILE


def check_groups() -> None:
    """Refuse to begin without groups: nobody whom the issuer vouches for could see anything.

    :raises FileError: if there is no such file, or it cannot be read.
    """
    if not known_groups():
        raise FileError(f"{groups_path()} names no group", "write one: staff: {collections: [manuals]}")


def rights_of(groups: Iterable[str]) -> Rights | None:
    """Return what groups open together; None where none of them is known.

    :raises FileError: if the file cannot be read.
    """
    known = known_groups()
    found = [known[group] for group in groups if group in known]
    if not found:
        return None
    return Rights(
        any(rights.write for rights in found),
        _all_of([rights.levels for rights in found]),
        _all_of([rights.collections for rights in found]),
    )


def known_groups() -> dict[str, Rights]:
    """Return the groups of the file as it is now; none where there is no file.

    :raises FileError: if it cannot be read.
    """
    path = groups_path()
    try:
        about = path.stat()
    except FileNotFoundError:
        return {}
    return _read(path, about.st_mtime_ns, about.st_size, about.st_ino)


@lru_cache(maxsize=4)
def _read(path: Path, _mtime_ns: int, _size: int, _inode: int) -> dict[str, Rights]:
    try:
        groups = load_yaml(path.read_text(encoding="utf-8")) or {}
        return {_text(name): _rights(entry) for name, entry in groups.items()}
    except (OSError, ValueError, TypeError, AttributeError, yaml.YAMLError) as error:
        remedy = "write a line for each group: staff: {collections: [manuals], levels: [public], write: true}"
        raise FileError(f"{path} cannot be read ({error})", remedy) from error


def _rights(entry: dict[str, Any] | None) -> Rights:
    entry = {} if entry is None else entry
    if unknown := entry.keys() - {"write", "levels", "collections"}:
        raise ValueError(f"{min(map(str, unknown))!r} is none of collections, levels, write")
    write = entry.get("write", False)
    if not isinstance(write, bool):
        raise ValueError("write is true or false")
    return Rights(write, _names(entry, "levels"), _names(entry, "collections"))


def _names(entry: dict[str, Any], key: str) -> frozenset[str] | None:
    if key not in entry:
        return None
    if not isinstance(entry[key], list):
        raise ValueError(f"{key} is a list: {key}: [a, b]")
    return frozenset(_text(name) for name in entry[key])


def _text(name: Any) -> str:
    if isinstance(name, bool) or not isinstance(name, str | int):
        raise ValueError(f"{name!r} is no name: write it in quotes")
    return str(name)


def _all_of(parts: Iterable[frozenset[str] | None]) -> frozenset[str] | None:
    found: set[str] = set()
    for part in parts:
        if part is None:
            return None
        found |= part
    return frozenset(found)
