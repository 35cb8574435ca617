"""Temporary files of the hub's programs: they lie in its own folder, and go with the program."""

import atexit
import contextlib
import os
import secrets
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from components.private_files import owners_alone, private_folder

if TYPE_CHECKING:
    import portalocker

FOLDER = "tmp"
VARIABLES = ("TMPDIR", "SQLITE_TMPDIR")
"""What this program, SQLite in it, and those that it starts go by."""
_LOCK = ".lock"


def keep_temporary_files_in(home: Path) -> None:
    """Let this program and those that it starts keep what is temporary in a folder of its own in the hub's.

    The folder goes when the program ends; what a killed one has left goes when the next one begins.

    :param home: the hub's folder, made where it is not there.
    :raises OSError: if there can be no such folder.
    """
    folder = home / FOLDER / f"{os.getpid()}-{secrets.token_hex(4)}"
    private_folder(folder)
    for name in VARIABLES:
        os.environ[name] = str(folder)
    tempfile.tempdir = str(folder)
    lock = _lock_of(folder)
    lock.acquire()
    for left in (home / FOLDER).iterdir():
        if left != folder:
            _remove_unless_held(left)
    atexit.register(_remove, folder, lock, os.getpid())


def _lock_of(folder: Path) -> "portalocker.Lock":
    import portalocker  # which asks for the folder of temporary files

    flags = portalocker.LockFlags.EXCLUSIVE | portalocker.LockFlags.NON_BLOCKING
    return portalocker.Lock(folder / _LOCK, "a", timeout=0, flags=flags, opener=owners_alone)


def _remove_unless_held(folder: Path) -> None:
    import portalocker

    with contextlib.suppress(OSError, portalocker.LockException):  # its program lives, or another one removes it
        if not (folder / _LOCK).exists():
            return  # its program is just making it
        with _lock_of(folder):
            pass
        shutil.rmtree(folder)


def _remove(folder: Path, lock: "portalocker.Lock", pid: int) -> None:
    """Remove the folder, and those around it that are empty: no hub has been made."""
    if os.getpid() != pid:  # a fork of the program
        return
    lock.release()
    shutil.rmtree(folder, ignore_errors=True)
    with contextlib.suppress(OSError):
        folder.parent.rmdir()
        folder.parents[1].rmdir()
