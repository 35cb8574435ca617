"""Where the files of documents and pictures lie: in the hub's folder, or in an object store that others have, too."""

import hashlib
from pathlib import Path


class FileStore:
    """The hub's folder: whoever has written a file there has kept it."""

    def keep(self, path: Path) -> None:
        """Keep a file that lies at its place in the hub's folder.

        :raises StoreError: if it cannot be kept.
        """

    def find(self, path: Path) -> bool:
        """Say whether a file is kept; it lies at its place in the hub's folder then.

        :raises StoreError: if that cannot be found out.
        """
        return path.is_file()

    def renew(self, path: Path) -> bool:
        """Let the last version of a file that changes lie at its place; say whether it does.

        :raises StoreError: as `find` does.
        """
        return path.is_file()

    def sha256(self, path: Path) -> str | None:
        """Return the hash of a file as it is kept; None if it is not.

        :raises StoreError: as `find` does.
        """
        try:
            with path.open("rb") as file:
                return hashlib.file_digest(file, "sha256").hexdigest()
        except (FileNotFoundError, IsADirectoryError):
            return None

    def kept(self, folder: Path) -> set[Path]:
        """Return where files lie, or would lie, below a folder of the hub's.

        :raises StoreError: if that cannot be found out.
        """
        return {path for path in folder.glob("*/*") if path.is_file()}

    def drop(self, path: Path) -> None:
        """Delete a file; one that is not there is no error.

        :raises PermissionError: where Windows keeps it, since somebody has it open.
        :raises StoreError: if it cannot be deleted elsewhere.
        """
        path.unlink(missing_ok=True)
