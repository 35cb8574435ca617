"""The catalog of a hub: one SQLite file that knows everything the indexes are made from."""

import functools
from pathlib import Path

from components.catalog.chunks import Chunks
from components.catalog.collections import Collections
from components.catalog.database import Database
from components.catalog.documents import Documents
from components.catalog.duplicates import Duplicates
from components.catalog.images import Images
from components.catalog.jobs import Jobs
from components.catalog.left_indexes import LeftIndexes
from components.catalog.metadata_fields import MetadataFields
from components.catalog.opened_collections import OpenedCollections
from components.catalog.originals import Originals
from components.catalog.picture_prints import PicturePrints
from components.catalog.picture_vectors import PictureVectors
from components.catalog.token_rows import TokenRows
from components.catalog.vectors import Vectors
from components.home import hub_home


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
