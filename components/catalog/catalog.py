"""The catalog of a hub: one SQLite file that knows everything the indexes are made from."""

import functools
from pathlib import Path

from khub.components.catalog.chunks import Chunks
from khub.components.catalog.collections import Collections
from khub.components.catalog.database import Database
from khub.components.catalog.documents import Documents
from khub.components.catalog.duplicates import Duplicates
from khub.components.catalog.images import Images
from khub.components.catalog.jobs import Jobs
from khub.components.catalog.left_indexes import LeftIndexes
from khub.components.catalog.metadata_fields import MetadataFields
from khub.components.catalog.opened_collections import OpenedCollections
from khub.components.catalog.originals import Originals
from khub.components.catalog.picture_prints import PicturePrints
from khub.components.catalog.picture_vectors import PictureVectors
from khub.components.catalog.token_rows import TokenRows
from khub.components.catalog.vectors import Vectors
from khub.components.home import hub_home


class Catalog:
    """What the hub knows, by table.

    :param home: the hub's data folder; the catalog is `catalog.sqlite3` in it.
    """

    def __init__(self, home: Path) -> None:
        self.home = home
        self.database = Database(home / "catalog.sqlite3")
        self.collections = Collections(self.database)
        self.left_indexes = LeftIndexes(self.database)
        self.opened_collections = OpenedCollections(self.database)
        self.documents = Documents(self.database)
        self.chunks = Chunks(self.database)
        self.duplicates = Duplicates(self.database)
        self.metadata_fields = MetadataFields(self.database)
        self.token_rows = TokenRows(self.database)
        self.vectors = Vectors(self.database)
        self.images = Images(self.database, home / "images")
        self.picture_prints = PicturePrints(self.database)
        self.picture_vectors = PictureVectors(self.database)
        self.jobs = Jobs(self.database)
        self.originals = Originals(self.database, home / "originals")


def open_catalog() -> Catalog:
    """Return the catalog of the hub in use; the same object for the same folder in one process."""
    return _catalog_at(hub_home())


@functools.lru_cache(maxsize=64)
def _catalog_at(home: Path) -> Catalog:
    return Catalog(home)
