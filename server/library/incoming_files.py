"""Files on their way into the hub: written piece by piece as they come, so that none stands in memory."""

import os
from pathlib import Path
from typing import BinaryIO

from khub.components.errors import KhubError, QueryError, SourceError
from khub.components.private_files import owners_alone
from khub.server.library.uploads import safe_path

LIMIT, LIMIT_MB = "KHUB_UPLOAD_MB", 200
MOST_FILES = 10_000
FILES_AT_ONCE = 10
"""So many files of the largest size may be sent at once."""
BLOCK = 1 << 20


class TooLargeError(KhubError):
    """A file, or all that is sent at once, that is larger than the hub takes."""

    code = "too_large"


def largest_file() -> int:
    """Return how many bytes a file may have that is sent.

    :raises KhubError: if `$KHUB_UPLOAD_MB` is no number.
    """
    text = os.environ.get(LIMIT) or str(LIMIT_MB)
    if not text.isdecimal() or not int(text):
        raise KhubError(f"{LIMIT} is {text!r}", "set it to megabytes, such as 200", code="setting_invalid")
    return int(text) * 1_000_000


class IncomingFiles:
    """Writes files that come one after the other.

    :param folder: where they are written, by their numbers; it is there.
    :param largest: bytes of a file.
    """

    def __init__(self, folder: Path, largest: int) -> None:
        self.folder = folder
        self.largest = largest
        self.names: list[str] = []
        self._file: BinaryIO | None = None
        self._size = 0

    @property
    def is_open(self) -> bool:
        """Say whether a file has begun and not ended."""
        return self._file is not None

    @property
    def parts(self) -> list[tuple[Path, str]]:
        """Return where each file lies, and the path below the uploads that it is to have."""
        return [(self.folder / str(number), name) for number, name in enumerate(self.names)]

    def take(self, given: str, stream: BinaryIO) -> None:
        """Write a whole file.

        :param given: its name as its sender has it, perhaps with folders.
        :raises KhubError: as `begin` and `write` do.
        """
        self.begin(given)
        try:
            while block := stream.read(BLOCK):
                self.write(block)
        finally:
            self.end()

    def begin(self, given: str) -> None:
        """Begin a file.

        :param given: its name as its sender has it, perhaps with folders.
        :raises KhubError: if it can have no such name, or there are too many.
        """
        if len(self.names) >= MOST_FILES:
            raise QueryError(
                f"there are more than {MOST_FILES} files", "send them in several requests", code="too_large"
            )
        name = safe_path(given)
        if name in self.names:
            raise SourceError(
                f"two files are called {name!r}", "send them in two requests, or under other names", code="name_taken"
            )
        path, self._size = self.folder / str(len(self.names)), 0
        self._file = open(path, "wb", opener=owners_alone)  # noqa: SIM115 - closed at its end
        self.names.append(name)

    def write(self, block: bytes) -> None:
        """Write the next piece of the file that has begun.

        :raises TooLargeError: if it is too large with it.
        """
        self._size += len(block)
        if self._size > self.largest:
            message = f"file {self.names[-1]!r} is larger than {self.largest // 1_000_000} MB"
            raise TooLargeError(message, f"split it, or set {LIMIT} higher")
        if self._file is not None:
            self._file.write(block)

    def end(self) -> None:
        """End the file that has begun, if one has."""
        if self._file is not None:
            self._file.close()
        self._file = None
