"""The files of a folder from which a collection has documents."""

import logging
from pathlib import PurePath

from khub.components.catalog.catalog import open_catalog
from khub.components.errors import KhubError
from khub.server.library.row_sources import file_of

logger = logging.getLogger(__name__)


class KnownFiles:
    """Says which they are; the catalog is read again only after the collection has changed.

    :param folder: absolute.
    """

    def __init__(self, folder: str, collection: str) -> None:
        self._folder = folder
        self._collection = collection
        self._seen: tuple[str, int] | None = None
        self._files: tuple[str, ...] = ()

    def __call__(self) -> tuple[str, ...]:
        """Return the files, absolute; those of before where the catalog cannot be read."""
        try:
            state = self._state()
            if state != self._seen:
                sources = open_catalog().documents.sources(self._collection) if state else []
                files = dict.fromkeys(map(file_of, sources))
                self._files = tuple(file for file in files if PurePath(file).is_relative_to(self._folder))
                self._seen = state
        except KhubError as error:
            logger.warning("what the documents of %r are from is not known at the moment: %s", self._collection, error)
        return self._files

    def _state(self) -> tuple[str, int] | None:
        """Return what changes with every change of the collection; None if there is none."""
        catalog = open_catalog()
        if not catalog.database.exists() or not catalog.collections.exists(self._collection):
            return None
        return catalog.collections.slug(self._collection), catalog.collections.commits(self._collection)
