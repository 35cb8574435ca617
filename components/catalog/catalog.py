"""The catalog of a hub: one database that knows everything the indexes are made from."""

import functools
import os
from pathlib import Path

from khub.components.catalog.changes import Changes
from khub.components.catalog.chunks import Chunks
from khub.components.catalog.collections import Collections
from khub.components.catalog.database import Database
from khub.components.catalog.documents import Documents
from khub.components.catalog.duplicates import Duplicates
from khub.components.catalog.file_store import FileStore
from khub.components.catalog.images import Images
from khub.components.catalog.index_states import IndexStates
from khub.components.catalog.jobs import Jobs
from khub.components.catalog.left_indexes import LeftIndexes
from khub.components.catalog.metadata_fields import MetadataFields
from khub.components.catalog.opened_collections import OpenedCollections
from khub.components.catalog.originals import Originals
from khub.components.catalog.picture_prints import PicturePrints
from khub.components.catalog.picture_vectors import PictureVectors
from khub.components.catalog.replica_states import ReplicaStates
from khub.components.catalog.shared_tokens import SharedTokens
from khub.components.catalog.sign_ins import SignIns
from khub.components.catalog.source_items import SourceItems
from khub.components.catalog.source_states import SourceStates
from khub.components.catalog.sqlite_database import SqliteDatabase
from khub.components.catalog.token_rows import TokenRows
from khub.components.catalog.vectors import Vectors
from khub.components.errors import MissingLibraryError, StoreError
from khub.components.extras import install_extra
from khub.components.home import hub_home


class Catalog:
    """What the hub knows, by table.

    :param home: the hub's data folder; the catalog is `catalog.sqlite3` in it, unless it lies in a database.
    :param url: of the database.
    :param files: address of the object store in which the files lie, unless they lie in the folder.
    """

    def __init__(self, home: Path, url: str = "", files: str = "") -> None:
        self.home = home
        self.files = _object_files(files, home) if files else FileStore()
        self.database = _database(url) if url else SqliteDatabase(home / "catalog.sqlite3")
        self.collections = Collections(self.database)
        self.index_states = self._index_states()
        self.changes = Changes(self.database)
        self.shared_tokens = SharedTokens(self.database)
        self.sign_ins = SignIns(self.database)
        self.left_indexes = LeftIndexes(self.database)
        self.opened_collections = OpenedCollections(self.database)
        self.documents = Documents(self.database)
        self.chunks = Chunks(self.database)
        self.duplicates = Duplicates(self.database)
        self.metadata_fields = MetadataFields(self.database)
        self.token_rows = TokenRows(self.database)
        self.vectors = Vectors(self.database)
        self.images = Images(self.database, home / "images", self.files)
        self.picture_prints = PicturePrints(self.database)
        self.picture_vectors = PictureVectors(self.database)
        self.jobs = Jobs(self.database)
        self.source_items = SourceItems(self.database)
        self.source_states = SourceStates(self.database)
        self.originals = Originals(self.database, home / "originals", self.files)

    def _index_states(self) -> IndexStates:
        if self.database.shared:
            own = SqliteDatabase(self.home / "replica.sqlite3")
            return ReplicaStates(own, self.database, self.collections.missing)
        return IndexStates(self.database, self.collections.missing)


def open_catalog() -> Catalog:
    """Return the catalog of the hub in use; the same object for the same folder and database in one process."""
    variables = os.environ
    return _catalog_at(hub_home(), variables.get("KHUB_DATABASE_URL", ""), variables.get("KHUB_FILES", ""))


@functools.lru_cache(maxsize=64)
def _catalog_at(home: Path, url: str, files: str) -> Catalog:
    return Catalog(home, url, files)


def _database(url: str) -> Database:
    scheme = url.partition("://")[0]
    if scheme not in ("postgresql", "postgres"):
        raise StoreError(
            f"KHUB_DATABASE_URL has the scheme {scheme[:20]!r}",
            "write it like postgresql://khub@db.example/khub, or unset it",
            code="setting_invalid",
        )
    try:
        from khub.components.catalog.postgres_database import PostgresDatabase
    except ImportError as error:
        raise MissingLibraryError(
            "the library psycopg, by which KHUB_DATABASE_URL is reached, is not installed",
            f"install the extra: {install_extra('postgres')}",
        ) from error
    return PostgresDatabase(url)


def _object_files(url: str, home: Path) -> FileStore:
    try:
        from khub.components.catalog.object_files import ObjectFiles
    except ImportError as error:
        raise MissingLibraryError(
            "the library obstore, by which KHUB_FILES is reached, is not installed",
            f"install the extra: {install_extra('s3')}",
        ) from error
    return ObjectFiles(url, home)
