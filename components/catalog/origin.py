"""Where a document comes from, for a reader: the address of what the hub has fetched."""

from collections.abc import Mapping
from pathlib import PurePath
from typing import Any

from khub.components.catalog.kept_path import SOURCES
from khub.components.home import hub_home
from khub.components.text.shown_address import shown_address

FETCHED = ("downloads", SOURCES)
"""Folders of the hub in which files lie that it has fetched itself."""


def origin_of(source: str, meta: Mapping[str, Any]) -> str | None:
    """Return the address of a document's origin, without credentials; None for a file of somebody's own.

    A file's own metadata may hold any address: only that of a file which the hub has fetched is taken.

    :param source: of the document.
    """
    url, path, home = meta.get("url"), PurePath(source), hub_home()
    fetched = bool(url) and any(path.is_relative_to(home / folder) for folder in FETCHED)
    return shown_address(str(url)) if fetched else None
