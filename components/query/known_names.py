"""The names that a collection knows: a word of a question can only mean a document, folder or tag that is there."""

import functools
import re
from dataclasses import dataclass, field

from components.catalog.access import access_levels
from components.catalog.catalog import Catalog

MAX_NAME = 200  # characters; a longer title is a sentence


@dataclass
class KnownNames:
    """Names as they are compared (see `compared`), each with what a filter has to say instead.

    :param titles: title -> the spellings of it.
    :param files: file name -> itself as it is spelled; the name without its extension as well.
    :param folders: name of a folder on the way to a document -> the spelling.
    :param tags: tag -> the spellings.
    """

    titles: dict[str, set[str]] = field(default_factory=dict)
    files: dict[str, set[str]] = field(default_factory=dict)
    folders: dict[str, set[str]] = field(default_factory=dict)
    tags: dict[str, set[str]] = field(default_factory=dict)

    def add(self, source: str, title: str | None, tags: list[str]) -> None:
        """Take in the names of one document."""
        if title and len(title) <= MAX_NAME:
            self.titles.setdefault(compared(title), set()).add(title)
        *folders, name = re.split(r"[\\/]+", source.partition("#row=")[0])
        stem = name.rpartition(".")[0]
        for spelled in filter(None, (name, stem)):
            self.files.setdefault(compared(spelled), set()).add(name)
        for folder in folders:
            if folder and not folder.endswith(":"):
                self.folders.setdefault(compared(folder), set()).add(folder)
        for tag in tags:
            self.tags.setdefault(compared(tag), set()).add(tag)


def compared(name: str) -> str:
    """Return a name without what its spellings may differ in: case, and white space, `_` and `-` between words."""
    return " ".join(re.split(r"[\s_-]+", name.casefold().strip()))


def known_names(catalog: Catalog, collection: str) -> KnownNames:
    """Return the names of a collection's documents that may be read (`$KHUB_ACCESS`); kept until the next ingest.

    :param collection: a name that exists.
    """
    levels = access_levels()
    commits = catalog.collections.state(collection).commits
    return _read(catalog, collection, commits, None if levels is None else tuple(levels))


@functools.lru_cache(maxsize=8)
def _read(catalog: Catalog, collection: str, _commits: int, _levels: tuple[str | int, ...] | None) -> KnownNames:
    names = KnownNames()
    for row in catalog.documents.readable(collection):
        tags = row["meta"].get("tags") or []
        names.add(
            row["source"], row["title"], [t for t in tags if isinstance(t, str)] if isinstance(tags, list) else []
        )
    return names
