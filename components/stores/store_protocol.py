"""What the hub asks of a document store.

Any class that keeps Haystack's `DocumentStore` protocol (`count_documents`, `write_documents`, `delete_documents`,
`filter_documents`, `to_dict`, `from_dict`) and has an embedding retriever will do. It is given ids and vectors, to be
written with `DuplicatePolicy.OVERWRITE`, and asked for the nearest ids; text, metadata and filters are the catalog's.
One that has a keyword retriever, too, can be given the words of each chunk as `content`, and its language.
Each protocol below is optional, and used where the class keeps it.
"""

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Protocol, runtime_checkable

import numpy as np


@runtime_checkable
class Closable(Protocol):
    """Has something open that can be given back."""

    def close(self) -> None:
        """Give back connections, files and locks; called once nobody uses the store, perhaps more than once."""


@runtime_checkable
class Droppable(Protocol):
    """Can delete its index as a whole; a store that cannot is emptied, and one in a folder goes with that."""

    def drop(self) -> None:
        """Delete the collection, table or index that was made for the store; one that is not there is no error."""


@runtime_checkable
class Listable(Protocol):
    """Says what it holds, as `khub doctor` asks; of another all documents are read."""

    def ids(self) -> Iterator[str]:
        """Yield the ids of all documents, in any order."""

    def vectors(self, ids: Sequence[str]) -> dict[str, np.ndarray]:
        """Return the vectors of those of these documents that are stored, each of shape (dimension,), of any length."""


@runtime_checkable
class FileBacked(Protocol):
    """Keeps its index in files that can be damaged: they are hashed after each write, and checked before opening."""

    @property
    def folder(self) -> Path | None:
        """Folder of the index; None for a server."""

    def index_files(self) -> list[Path]:
        """Return the files that writing alone changes, opening and searching do not, in a fixed order."""


@runtime_checkable
class OneProcess(Protocol):
    """May be open in one process at a time: it is closed behind each question and each batch."""

    @property
    def alone(self) -> bool:
        """Whether that is so as the store is set up."""


@runtime_checkable
class BulkLoading(Protocol):
    """Loads many vectors faster when it knows that more will come."""

    def loading(self) -> AbstractContextManager[None]:
        """Put off what can wait until all is written; at the end of the block the index is whole."""


@runtime_checkable
class CountsWords(Protocol):
    """Holds words, too, and says how frequent they are; of another each word is searched for by itself."""

    def count_words(self, words: Sequence[str]) -> dict[str, int]:
        """Return the number of documents that hold each word, 0 too."""


def close_store(store: object) -> None:
    """Close a store that can be closed."""
    if isinstance(store, Closable):
        store.close()
