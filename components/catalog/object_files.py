"""Files of documents and pictures in an object store (S3 and the like), by their path in the hub's folder."""

import contextlib
import hashlib
import os
import re
import threading
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import obstore
from obstore.exceptions import BaseError, NotFoundError
from obstore.store import from_url

from khub.components.catalog.file_store import FileStore
from khub.components.errors import StoreError
from khub.components.private_files import owners_alone, private_folder

REMEDY = "see that the bucket is there, and that the environment holds its region, endpoint and keys (AWS_…)"
REASON_CHARACTERS = 200
TOLD = (r"status code: (\d+ [\w ]+)", r"<Code>(\w+)</Code>")
"""What a store says itself; it stands behind the address, where a line would be cut."""
RETRIED_FOR = timedelta(seconds=10)
"""Without a bound it is minutes, for which a writer would hold its transaction."""


class ObjectFiles(FileStore):
    """An object store, and copies of its files in the hub's folder, which are made when they are wanted.

    Most files are named by their content and never change: a copy is as good as the file, wherever it is.

    :param url: `s3://bucket/prefix`, or another that obstore knows; who may use it, the environment says.
    :param home: the hub's folder.
    :raises StoreError: if the address is none.
    """

    def __init__(self, url: str, home: Path) -> None:
        self._url = url
        self._home = home
        try:
            self._store = from_url(url, retry_config={"max_retries": 2, "retry_timeout": RETRIED_FOR})
        except (BaseError, ValueError) as error:
            raise StoreError(
                f"KHUB_FILES is {url!r}, which names no object store ({_reason(error)})",
                "write it like s3://bucket/prefix, or unset it",
                code="setting_invalid",
            ) from error

    def keep(self, path: Path) -> None:
        """Put a file into the store, as a whole or not at all."""
        with self._told():
            obstore.put(self._store, self._key(path), path)

    def find(self, path: Path) -> bool:
        """Say whether a file is there; it lies in the hub's folder then, too."""
        return path.is_file() or self.renew(path)

    def renew(self, path: Path) -> bool:
        """Let the last version of a file lie in the hub's folder; say whether there is one."""
        try:
            with self._told():
                data = obstore.get(self._store, self._key(path)).bytes()
        except FileNotFoundError:
            return False
        private_folder(path.parent)
        unfinished = path.with_name(f"{path.name}.{os.getpid()}-{threading.get_ident()}")
        with open(unfinished, "wb", opener=owners_alone) as file:
            file.write(data)
        unfinished.replace(path)
        return True

    def sha256(self, path: Path) -> str | None:
        """Return the hash of a file as it is there, whatever lies here."""
        digest = hashlib.sha256()
        try:
            with self._told():
                for part in obstore.get(self._store, self._key(path)).stream():
                    digest.update(part)
        except FileNotFoundError:
            return None
        return digest.hexdigest()

    def kept(self, folder: Path) -> set[Path]:
        """Return where files that are there, or of which copies are here, lie or would lie."""
        with self._told():
            listed = [one for part in obstore.list(self._store, prefix=self._key(folder)) for one in part]
        return super().kept(folder) | {self._home / one["path"] for one in listed}

    def drop(self, path: Path) -> None:
        """Delete a file there and here; copies in the folders of other machines go with `khub doctor --repair`."""
        with contextlib.suppress(FileNotFoundError), self._told():
            obstore.delete(self._store, self._key(path))
        super().drop(path)

    def _key(self, path: Path) -> str:
        try:
            return path.relative_to(self._home).as_posix()
        except ValueError as error:
            raise StoreError(
                f"{path} lies in the hub's folder of another machine, here it is {self._home}",
                "let KHUB_HOME be the same path on all machines",
                code="setting_invalid",
            ) from error

    @contextlib.contextmanager
    def _told(self) -> Iterator[None]:
        try:
            yield
        except (NotFoundError, FileNotFoundError) as error:
            raise FileNotFoundError(str(error)) from error
        except BaseError as error:
            raise StoreError(
                f"the object store {self._url} cannot be used ({_reason(error)})", REMEDY, code="store_unreachable"
            ) from error


def _reason(error: Exception) -> str:
    text = " ".join(str(error).split())
    told = [found[1] for pattern in TOLD if (found := re.search(pattern, text))]
    return ", ".join(told) or text[:REASON_CHARACTERS]
