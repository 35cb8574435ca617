"""Pictures of documents: a row each in the catalog, a file each beside it."""

import hashlib
import json
import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, cast

from khub.components.catalog.database import Database
from khub.components.catalog.deletion import delete_files
from khub.components.catalog.file_store import FileStore
from khub.components.catalog.partly_opened import HOLDS_IT, ON_ITS_PAGE, picture_access_clause
from khub.components.catalog.picture import DocumentPicture
from khub.components.catalog.picture_prints import PicturePrints
from khub.components.catalog.picture_row import PictureRow
from khub.components.private_files import owners_alone, private_folder

LOOKUP_SIZE = 500
EXTENSIONS = {"image/png": ".png", "image/jpeg": ".jpg"}
VISIBLE = "images i JOIN documents d ON d.doc_id = i.doc_id AND d.version = i.version"
COLUMNS = (
    "i.image_id, i.doc_id, d.collection, d.source, i.page, i.box, i.kind, i.mime, i.width, i.height, i.size, "
    "i.sha256, i.caption, i.alt, i.text, i.description"
)


class Images:
    """Rows of the `images` table, and the files `images/{first two digits}/{sha256}.{png,jpg}` of the hub.

    Equal pictures have one file. Files are written and removed inside the catalog's write transaction, so that no
    process removes what another is about to refer to.

    :param database: the catalog's.
    :param folder: where the files lie; made at the first picture.
    :param files: what keeps them.
    """

    def __init__(self, database: Database, folder: Path, files: FileStore) -> None:
        self._db = database
        self._folder = folder
        self._files = files

    def stage(self, doc_id: str, pictures: Iterable[DocumentPicture]) -> None:
        """Write the pictures of a document's next version; nobody sees them before that is published.

        :param doc_id: a document that the catalog knows.
        :param pictures: its pictures; images of whole pages are left out.
        """
        shown = [picture for picture in pictures if picture.picture.kind != "page"]
        rows = [(_digest(one.picture.data), one) for one in shown]
        prints = self._new_prints(rows)
        with self._db.transaction() as connection:
            version = connection.execute("SELECT version FROM documents WHERE doc_id = ?", (doc_id,)).fetchone()[0]
            delete_files(connection, "images", "doc_id = ? AND version > ?", (doc_id, version))
            connection.executemany(
                f"INSERT INTO images VALUES ({','.join('?' * 15)})",
                [_row(one, version + 1, digest) for digest, one in rows],
            )
            for digest, one in rows:
                self._write(digest, one.picture.mime, one.picture.data)
                # also one that lies here: another machine may have deleted it since
                self._files.keep(self.file(digest, one.picture.mime))
            connection.executemany("INSERT INTO picture_prints VALUES (?, ?) ON CONFLICT DO NOTHING", prints.items())

    def of_document(self, doc_id: str) -> list[PictureRow]:
        """Return the visible pictures of a document, in the order of its text."""
        rows = self._db.rows(f"SELECT {COLUMNS} FROM {VISIBLE} WHERE i.doc_id = ? ORDER BY i.rowid", (doc_id,))
        return [self._as_dict(row) for row in rows]

    def get(self, image_ids: Sequence[str], collection: str | None = None) -> dict[str, PictureRow]:
        """Return the visible pictures among `image_ids`, by id; what is shown to a caller comes from here.

        Those that `$KHUB_ACCESS` does not open are not among them.

        :param collection: only those of this collection; all if None.
        :returns: what the catalog says of each, and its file as `path`.
        :raises FilterError: if `$KHUB_ACCESS` is set and names no level.
        """
        access, opened = picture_access_clause()
        found: dict[str, PictureRow] = {}
        for start in range(0, len(image_ids), LOOKUP_SIZE):
            part = image_ids[start : start + LOOKUP_SIZE]
            marks = ",".join("?" * len(part))
            clause = " AND d.collection = ?" if collection is not None else ""
            rows = self._db.rows(
                f"SELECT {COLUMNS} FROM {VISIBLE} WHERE i.image_id IN ({marks}){clause} AND {access}",
                (*part, *([collection] if collection is not None else []), *opened),
            )
            found.update((row["image_id"], self._as_dict(row)) for row in rows)
        return found

    def of_files(self, digests: Sequence[str], collection: str) -> dict[str, list[PictureRow]]:
        """Return the visible pictures that `$KHUB_ACCESS` opens by the sha256 of their file, one of each document.

        :param digests: of the files; what the catalog says of each picture is as in `get`.
        :raises FilterError: if that is set and names no level.
        """
        access, opened = picture_access_clause()
        found: dict[str, list[PictureRow]] = {}
        for start in range(0, len(digests), LOOKUP_SIZE):
            part = digests[start : start + LOOKUP_SIZE]
            marks = ",".join("?" * len(part))
            rows = self._db.rows(
                f"SELECT {COLUMNS} FROM {VISIBLE} WHERE i.sha256 IN ({marks}) AND d.collection = ? AND {access} "
                "ORDER BY i.rowid",
                (*part, collection, *opened),
            )
            first = {(row["doc_id"], row["sha256"]): row for row in reversed(rows)}
            for row in reversed(first.values()):
                found.setdefault(row["sha256"], []).append(self._as_dict(row))
        return found

    def passages_around(self, image_ids: Sequence[str]) -> dict[str, list[str]]:
        """Return by image id the ids of the visible chunks that hold its mark, or else of the first one on its page.

        Whatever shows them looks at `$KHUB_ACCESS` itself.

        :param image_ids: `LOOKUP_SIZE` of them at most.
        """
        marks = ",".join("?" * len(image_ids))
        found: dict[str, list[str]] = {}
        for condition, most in ((HOLDS_IT, LOOKUP_SIZE), (ON_ITS_PAGE, 1)):
            rows = self._db.rows(
                f"SELECT i.image_id, c.chunk_id FROM {VISIBLE} JOIN chunks c ON c.doc_id = d.doc_id "
                f"AND c.version = d.version AND {condition} WHERE i.image_id IN ({marks}) ORDER BY c.ordinal",
                image_ids,
            )
            near: dict[str, list[str]] = {}
            for row in rows:
                near.setdefault(row[0], []).append(row[1])
            found = {image_id: chunks[:most] for image_id, chunks in near.items()} | found
        return found

    def opened(self, doc_id: str) -> list[str]:
        """Return the ids of the visible pictures of a document that `$KHUB_ACCESS` opens, in the order of its text.

        :raises FilterError: if that is set and names no level.
        """
        access, opened = picture_access_clause()
        rows = self._db.rows(
            f"SELECT i.image_id FROM {VISIBLE} WHERE i.doc_id = ? AND {access} ORDER BY i.rowid", (doc_id, *opened)
        )
        return [row[0] for row in rows]

    def drop_unused(self) -> None:
        """Delete the files of pictures that no document has any more."""
        if self._db.row("SELECT 1 FROM unused_images LIMIT 1") is None:
            return
        with self._db.transaction() as connection:
            rows = connection.execute(
                "SELECT sha256 FROM unused_images u WHERE NOT EXISTS (SELECT 1 FROM images i WHERE i.sha256 = u.sha256)"
            )
            for row in rows.fetchall():
                for mime in EXTENSIONS:
                    self._files.drop(self.file(row[0], mime))
                for table in ("picture_prints", "picture_vectors"):
                    connection.execute(f"DELETE FROM {table} WHERE sha256 = ?", (row[0],))
            connection.execute("DELETE FROM unused_images")

    def sweep(self) -> int:
        """Delete the files of which no row tells: killed processes left them, or another machine; return how many."""
        with self._db.transaction() as connection:  # a file is written in one
            known = {row[0] for row in connection.execute("SELECT DISTINCT sha256 FROM images")}
            left = [path for path in self._files.kept(self._folder) if path.name.partition(".")[0] not in known]
            for path in left:
                self._files.drop(path)
        return len(left)

    def files(self) -> dict[Path, str]:
        """Return where the files lie of which rows tell, and the sha256 of each."""
        rows = self._db.rows("SELECT DISTINCT sha256, mime FROM images")
        return {self.file(*row): row[0] for row in rows}

    def file(self, digest: str, mime: str) -> Path:
        """Return where the file of a picture lies."""
        return self._folder / digest[:2] / f"{digest}{EXTENSIONS[mime]}"

    def _as_dict(self, row: Any) -> PictureRow:
        box = json.loads(row["box"]) if row["box"] else None
        file = self.file(row["sha256"], row["mime"])
        self._files.find(file)
        return cast(PictureRow, {**dict(row), "box": box, "path": str(file)})

    def _new_prints(self, rows: Sequence[tuple[str, DocumentPicture]]) -> dict[str, bytes]:
        """Return what unknown pictures are recognised by; not in the transaction, since it takes time."""
        from khub.components.raster.picture_print import picture_print

        files = dict(rows)
        known = PicturePrints(self._db).get(list(files))
        return {digest: picture_print(one.picture.data) for digest, one in files.items() if digest not in known}

    def _write(self, digest: str, mime: str, data: bytes) -> None:
        path = self.file(digest, mime)
        if path.exists() and path.stat().st_size == len(data):
            return
        private_folder(path.parent)
        unfinished = path.with_name(f"{path.name}.{os.getpid()}")
        with open(unfinished, "wb", opener=owners_alone) as file:
            file.write(data)
        unfinished.replace(path)


def _row(one: DocumentPicture, version: int, digest: str) -> tuple[Any, ...]:
    picture = one.picture
    box = json.dumps([round(side, 2) for side in picture.bbox]) if picture.bbox else None
    return (
        one.image_id, version, one.doc_id, picture.page, box, picture.kind, picture.mime, picture.width,
        picture.height, len(picture.data), digest, picture.caption, picture.alt, one.text, one.description,
    )  # fmt: skip


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
