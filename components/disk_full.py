"""A disk on which no room is left: one error, whichever library has met it."""

import contextlib
import errno
import shutil
from collections.abc import Iterator
from pathlib import Path

from khub.components.errors import KhubError, StoreError

NO_ROOM = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
NO_ROOM_IN_SQLITE = {13, 778, 4874}
"""SQLITE_FULL; SQLITE_IOERR_WRITE (a quota, which SQLite does not tell from a broken disk); SQLITE_IOERR_SHMSIZE.

Numbers, since the command imports this before it knows whether it needs SQLite.
"""
LEAST_ROOM = 256 * 1024
IN_WORDS = ("No space left on device", "StorageFull", "QuotaExceeded", "FileTooLarge", "database or disk is full")
"""How libraries that are written in Rust say it (tantivy, Chroma): they pass no number on."""


class DiskFullError(StoreError):
    """No room is left where the hub writes.

    :param folder: the hub's.
    :param reason: what the system or a library has said.
    """

    code = "disk_full"

    def __init__(self, folder: Path, reason: str) -> None:
        super().__init__(
            f"there is no room for more in {folder} ({' '.join(reason.split())[:100]})",
            "free space on that disk, or delete documents; what was ingested stays, and the same command goes on",
        )


def is_disk_full(error: BaseException | None) -> bool:
    """Say whether an error, or one that it was raised from, says that a disk is full."""
    while error is not None:
        if isinstance(error, DiskFullError):
            return True
        if isinstance(error, OSError) and error.errno in NO_ROOM:
            return True
        if getattr(error, "sqlite_errorcode", None) in NO_ROOM_IN_SQLITE:
            return True
        if isinstance(error, KhubError):
            if not isinstance(error, StoreError):
                return False  # it says itself what could not be written, and where
        elif any(words in str(error) for words in IN_WORDS):
            return True
        error = error.__cause__
    return False


def _has_no_room(folder: Path) -> bool:
    """Say whether next to nothing can be written: tantivy's threads end without a word on why."""
    with contextlib.suppress(OSError):
        return shutil.disk_usage(folder).free < LEAST_ROOM
    return False


@contextlib.contextmanager
def told_when_full(folder: Path) -> Iterator[None]:
    """Turn what says that the disk is full into the error that users see.

    :param folder: in which the block writes.
    :raises DiskFullError: in place of the other error.
    """
    try:
        yield
    except DiskFullError:
        raise
    except BaseException as error:  # a panic of a library in Rust is no Exception
        if not is_disk_full(error) and not (isinstance(error, StoreError | ValueError) and _has_no_room(folder)):
            raise
        origin = error
        while origin.__cause__ is not None:
            origin = origin.__cause__
        raise DiskFullError(folder, getattr(origin, "strerror", None) or str(origin)) from error
