"""The names that a collection knows: a word of a question can only mean a document that is there."""

import functools
import re
from dataclasses import dataclass, field
from typing import Any

from khub.components.catalog.catalog import Catalog
from khub.components.catalog.filters import access_clause
from khub.components.text.naming import years_of

SEPARATOR, BETWEEN_WORDS = re.compile(r"[\\/]+"), re.compile(r"[\s_-]+")
MAX_NAME = 200  # characters; a longer title is a sentence


@dataclass
class KnownNames:
    """Names as they are compared (see `compared`), each with what a filter has to say instead.

    :param titles: title -> the spellings of it.
    :param files: file name -> itself as it is spelled; the name without its extension as well.
    :param types: types of the documents.
    :param years: those that documents are of (see `years_of`).
    """

    titles: dict[str, set[str]] = field(default_factory=dict)
    files: dict[str, set[str]] = field(default_factory=dict)
    types: set[str] = field(default_factory=set)
    years: set[str] = field(default_factory=set)

    def add(self, source: str, title: str | None, doc_type: str) -> None:
        """Take in the names of one document."""
        self.types.add(doc_type)
        if title and len(title) <= MAX_NAME:
            self.titles.setdefault(compared(title), set()).add(title)
        self.years.update(years_of(source, title))
        name = SEPARATOR.split(source.partition("#row=")[0])[-1]
        for spelled in filter(None, (name, name.rpartition(".")[0])):
            self.files.setdefault(compared(spelled), set()).add(name)


def compared(name: str) -> str:
    """Return a name without what its spellings may differ in: case, and white space, `_` and `-` between words."""
    return " ".join(BETWEEN_WORDS.split(name.casefold().strip()))


def known_names(catalog: Catalog, collection: str) -> KnownNames:
    """Return the names of a collection's documents that may be read (`$KHUB_ACCESS`); kept until the next ingest.

    :param collection: a name that exists.
    """
    clause, values = access_clause()
    commits = catalog.collections.commits(collection)
    return _read(catalog, collection, commits, clause, tuple(values))


@functools.lru_cache(maxsize=8)
def _read(catalog: Catalog, collection: str, _commits: int, _clause: str, _values: tuple[Any, ...]) -> KnownNames:
    names = KnownNames()
    for source, title, doc_type in catalog.documents.names(collection):
        names.add(source, title, doc_type)
    return names
