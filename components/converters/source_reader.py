"""Reading a source file: cheap checks first, then exactly the bytes that were recorded."""

import errno
import hashlib
import os
import stat
from pathlib import Path

from khub.components.errors import SourceEmptyError, SourceError, SourceSizeError

MEGABYTE = 1_000_000
KINDS = {
    stat.S_IFIFO: "a named pipe (FIFO)",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}
IN_A_CIRCLE = (errno.ELOOP, getattr(errno, "WSAELOOP", errno.ELOOP))


def check_source(path: Path, max_mb: float) -> None:
    """Refuse what cannot be read, without opening it.

    :param path: the file.
    :param max_mb: largest accepted size, in megabytes (10^6 bytes).
    :raises SourceError: when it is missing, no regular file, empty, too large, or its name is not valid Unicode.
    """
    try:
        str(path).encode("utf-8")
    except UnicodeEncodeError as error:
        raise SourceError(
            f"the name {path.name!r} is not valid Unicode", "rename the file", code="name_invalid"
        ) from error
    status = status_of(path)
    if stat.S_ISDIR(status.st_mode):
        raise SourceError(
            f"{path.name!r} is a directory", "name the files in it, or ingest the folder", code="source_kind_wrong"
        )
    if status.st_size == 0:
        raise SourceEmptyError(f"{path.name!r} is empty (0 bytes)", "put the file in place again, or leave it out")
    if status.st_size > max_mb * MEGABYTE:
        raise SourceSizeError(
            f"{path.name!r} has {status.st_size / MEGABYTE:.1f} MB, more than the limit of {max_mb:g} MB",
            "split the file, or raise max_mb",
        )


def read_source(path: Path, sha256: str) -> bytes:
    """Read a file whose content was hashed before.

    :param path: the file.
    :param sha256: hex digest that its bytes had when it was recorded.
    :returns: its bytes, which have that digest.
    :raises SourceError: when it cannot be read, or its bytes are others than those recorded.
    """
    before = status_of(path)
    try:
        data = path.read_bytes()
    except PermissionError as error:
        raise _unreadable(path) from error
    except OSError as error:
        raise SourceError(f"{path.name!r} cannot be read ({error.strerror})", "check the disk") from error
    after = status_of(path)
    steady = (before.st_size, before.st_mtime_ns) == (after.st_size, after.st_mtime_ns)
    if not steady or hashlib.sha256(data).hexdigest() != sha256:
        raise SourceError(f"{path.name!r} changed while it was read", "ingest it again", code="source_changed")
    return data


def status_of(path: Path) -> os.stat_result:
    """Return the status of a file or folder, links followed, without opening it: that of a named pipe would wait.

    :raises SourceError: when there is none, or it is a pipe, a socket, a device or a link that leads nowhere.
    """
    try:
        status = path.stat()
    except FileNotFoundError as error:
        what = "is a link to nothing" if path.is_symlink() else "does not exist"
        raise SourceError(f"{str(path)!r} {what}", "check the spelling", code="source_missing") from error
    except PermissionError as error:
        raise _unreadable(path) from error
    except (OSError, ValueError) as error:
        if getattr(error, "errno", None) in IN_A_CIRCLE:
            raise SourceError(f"{path.name!r} is a link that leads back to itself", "remove it") from error
        raise SourceError(f"{path.name!r} cannot be read ({error})", "check the path") from error
    if not stat.S_ISREG(status.st_mode) and not stat.S_ISDIR(status.st_mode):
        kind = KINDS.get(stat.S_IFMT(status.st_mode), "something else")
        raise SourceError(
            f"{path.name!r} is {kind}, not a file, and is passed over", "name a file on disk", code="source_kind_wrong"
        )
    return status


def _unreadable(path: Path) -> SourceError:
    return SourceError(f"{path.name!r} may not be read (permission denied)", "give your user the right to read it")
