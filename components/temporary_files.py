"""Temporary files of the hub's programs: they lie in its own folder, and go with the program."""

import contextlib
import os
import secrets
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from khub.components.private_files import owners_alone, private_folder

if TYPE_CHECKING:
    import portalocker

FOLDER = "tmp"
VARIABLES = ("TMPDIR", "SQLITE_TMPDIR")
"""What this program, SQLite in it, and those that it starts go by."""
_LOCK = ".lock"


@contextlib.contextmanager
def temporary_files_in(home: Path) -> Iterator[None]:
    """Let this program and those that it starts keep what is temporary in a folder of its own in the hub's.

    The folder goes when the block ends; what a killed program has left goes when the next one begins.

    :param home: the hub's folder, made where it is not there.
    :raises OSError: if there can be no such folder.
    """
    folder = home / FOLDER / f"{os.getpid()}-{secrets.token_hex(4)}"
    private_folder(folder)
    with _named(folder):
        lock = _lock_of(folder)
        lock.acquire()
        for left in (home / FOLDER).iterdir():
            if left != folder:
                _remove_unless_held(left)
        try:
            yield
        finally:
            _remove(folder, lock)


@contextlib.contextmanager
def _named(folder: Path) -> Iterator[None]:
    before = {name: os.environ.get(name) for name in VARIABLES}, tempfile.tempdir
    os.environ.update(dict.fromkeys(VARIABLES, str(folder)))
    tempfile.tempdir = str(folder)
    try:
        yield
    finally:
        variables, tempfile.tempdir = before
        for name, value in variables.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


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


def _remove(folder: Path, lock: "portalocker.Lock") -> None:
    """Remove the folder, and those around it that are empty: no hub has been made."""
    lock.release()
    shutil.rmtree(folder, ignore_errors=True)
    with contextlib.suppress(OSError):
        folder.parent.rmdir()
        folder.parents[1].rmdir()
