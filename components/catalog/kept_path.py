"""Where what was read of sources lies in the hub's folder."""

import hashlib
from pathlib import Path, PurePath

from khub.components.catalog.slug import slug_of
from khub.components.home import hub_home

SOURCES = "sources"
FILES = "files"
"""The folder of a source's files, beside what the source keeps for itself."""


def source_key(collection: str, address: str) -> str:
    """Return what names a source of a collection.

    :param address: without credentials.
    """
    return hashlib.sha256(f"{collection}\n{address}".encode()).hexdigest()[:16]


def sources_of(collection: str) -> Path:
    """Return the folder of the sources of a collection."""
    return hub_home() / SOURCES / slug_of(collection)


def source_folder(collection: str, key: str) -> Path:
    """Return the folder of a source."""
    return sources_of(collection) / key


def kept_path(file: str) -> str | None:
    """Return the path of a source's file from the hub's folder on, with `/`; None for any other file."""
    path, home = PurePath(file), hub_home()
    if not path.is_relative_to(home / SOURCES):
        return None
    return path.relative_to(home).as_posix()
