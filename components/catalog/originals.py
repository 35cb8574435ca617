"""The files that documents were made from: the hub's own copies, by content."""

import hashlib
import json
import logging
import os
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from khub.components.catalog.database import Database
from khub.components.catalog.deletion import delete_files
from khub.components.catalog.file_store import FileStore
from khub.components.catalog.held_file import HELD_FILE
from khub.components.private_files import owners_alone, private_folder

logger = logging.getLogger(__name__)

BLOCK = 1 << 20


class Originals:
    """Rows of the `originals` table, and the files `originals/{first two digits}/{sha256}{suffix}` of the hub.

    Equal files have one copy. A row is written before its file and removed after it is no longer wanted, and files are
    removed inside the catalog's write transaction, so that no process removes what another refers to.

    :param database: the catalog's.
    :param folder: where the copies lie; made at the first one.
    :param files: what keeps them.
    """

    def __init__(self, database: Database, folder: Path, files: FileStore) -> None:
        self._db = database
        self._folder = folder
        self._files = files

    def path(self, sha256: str, source: str) -> Path:
        """Return where the copy of a file lies, if there is one.

        :param sha256: of the file.
        :param source: its own path, which gives the suffix.
        """
        return self._path(sha256, _suffix(source))

    def found(self, sha256: str, source: str) -> Path | None:
        """Return where the copy of a file lies; None if there is none."""
        path = self.path(sha256, source)
        return path if self._files.find(path) else None

    def files(self) -> dict[Path, str]:
        """Return where the copies lie of which rows tell, and the sha256 of each."""
        rows = self._db.rows("SELECT DISTINCT sha256, suffix FROM originals")
        return {self._path(*row): row[0] for row in rows}

    def has(self, about: Mapping[str, Any]) -> bool:
        """Say whether the copy of a file is there; also yes where there is no such file to keep.

        :param about: its `source` and `sha256`, and `held_file` if it lies elsewhere.
        """
        file = Path(about.get(HELD_FILE) or about["source"])
        return self._files.find(self.path(about["sha256"], about["source"])) or not file.is_file()

    def stage(
        self, doc_id: str, source: str, sha256: str, size: int | None = None, held_file: str | None = None
    ) -> None:
        """Keep a copy of the file of a document's next version; what is no file is passed over.

        A file that cannot be read, or is no longer the one that was read, is not kept; the log says so.

        :param doc_id: a document that the catalog knows.
        :param source: path of the file.
        :param sha256: of what was read.
        :param size: of what was read, in bytes, if it is known.
        :param held_file: where it lies, if `source` is no path of a file.
        """
        file = Path(held_file or source)
        if not file.is_file():
            return
        suffix = _suffix(source)
        with self._db.transaction() as connection:
            shown = "(SELECT d.sha256 FROM documents d WHERE d.doc_id = ?)"
            delete_files(connection, "originals", f"doc_id = ? AND COALESCE(sha256 <> {shown}, TRUE)", (doc_id, doc_id))
            connection.execute(
                "INSERT INTO originals VALUES (?, ?, ?) ON CONFLICT DO NOTHING", (doc_id, sha256, suffix)
            )
        target = self._path(sha256, suffix)
        try:
            there = target.is_file() and size in (None, target.stat().st_size)
            reason = "" if there or _copy(file, target, sha256) else "it has changed since it was read"
        except OSError as error:
            reason = error.strerror or str(error)
        if not reason:
            self._files.keep(target)
        else:
            logger.warning("no copy of %s is kept: %s", source, reason)
            with self._db.transaction() as connection:
                delete_files(connection, "originals", "doc_id = ? AND sha256 = ?", (doc_id, sha256))

    def give_up(self, doc_ids: Sequence[str]) -> None:
        """Delete the copies that no other document shows, before their documents go: nothing is written for that.

        :param doc_ids: documents that are about to be deleted.
        """
        rows = self._db.rows(
            "SELECT o.sha256, o.suffix FROM originals o JOIN documents d ON d.doc_id = o.doc_id GROUP BY 1, 2 "
            "HAVING MAX(CASE WHEN o.sha256 = d.sha256 AND d.doc_id NOT IN (SELECT value FROM json_each(?)) "
            "THEN 1 ELSE 0 END) = 0",
            (json.dumps(list(doc_ids)),),
        )
        for row in rows:
            self._removed(self._path(*row))

    def drop_unused(self) -> None:
        """Delete the copies that no document has any more."""
        if self._db.row("SELECT 1 FROM unused_originals LIMIT 1") is None:
            return
        with self._db.transaction() as connection:
            rows = connection.execute(
                "SELECT sha256, suffix FROM unused_originals u WHERE NOT EXISTS "
                "(SELECT 1 FROM originals o WHERE o.sha256 = u.sha256 AND o.suffix = u.suffix)"
            ).fetchall()
            open_ones = [tuple(row) for row in rows if not self._removed(self._path(*row))]
            connection.execute("DELETE FROM unused_originals")
            connection.executemany("INSERT INTO unused_originals VALUES (?, ?)", open_ones)

    def sweep(self) -> int:
        """Delete the copies of which no row tells: killed processes left them, or another machine; return how many."""
        with self._db.transaction() as connection:  # a row is written in one, and the copy after it
            known = {row[0] for row in connection.execute("SELECT DISTINCT sha256 FROM originals")}
            left = [path for path in self._files.kept(self._folder) if path.name.partition(".")[0] not in known]
            return sum(self._removed(path) for path in left)

    def _removed(self, path: Path) -> bool:
        """Delete a copy; return False where Windows keeps it, since a page of it is drawn: the next time will do."""
        try:
            self._files.drop(path)
        except PermissionError:
            return False
        return True

    def _path(self, sha256: str, suffix: str) -> Path:
        return self._folder / sha256[:2] / f"{sha256}{suffix}"


def _suffix(source: str) -> str:
    return Path(source).suffix.lower()


def _copy(file: Path, target: Path, sha256: str) -> bool:
    """Copy a file, all of it or nothing; return whether its content is still the one that is meant."""
    private_folder(target.parent)
    unfinished = target.with_name(f"{target.name}.{os.getpid()}-{threading.get_ident()}")
    digest = hashlib.sha256()
    try:
        with file.open("rb") as reading, open(unfinished, "wb", opener=owners_alone) as writing:
            while block := reading.read(BLOCK):
                digest.update(block)
                writing.write(block)
        if digest.hexdigest() != sha256:
            return False
        unfinished.replace(target)
        return True
    finally:
        unfinished.unlink(missing_ok=True)
