"""Append whole lines to a file that several processes write, and keep it from growing without end."""

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

import portalocker

from khub.components.private_files import owners_alone, private_folder

MAX_BYTES = 10 * 1024 * 1024
KEPT_FILES = 5
ROTATION_S = 1.0
"""So long is another process waited for that rotates; it takes some file renames."""


def append_line(path: Path, line: str, max_bytes: int = MAX_BYTES, kept_files: int = KEPT_FILES) -> None:
    r"""Append one line with a single write, and rotate the file once it is full.

    `O_APPEND` keeps the lines of several processes whole. A line that a killed process left torn is closed with a
    newline first, so that it spoils no other (a line that another process is just writing may look torn: then an empty
    line is left behind it, which readers pass over). The folder is made at the first line.

    :param path: the file; rotated ones are `path.1` (newest) to `path.{kept_files - 1}`.
    :param line: text without newline; characters that UTF-8 cannot carry are written as `\\udcXX`.
    :param max_bytes: size from which the file is rotated.
    :param kept_files: how many files are kept in all, 2 or more.
    :raises OSError: when the folder or the file cannot be written.
    """
    data = line.encode("utf-8", errors="backslashreplace") + b"\n"
    try:
        size = _append(path, data)
    except FileNotFoundError:
        private_folder(path.parent)
        size = _append(path, data)
    if size >= max_bytes:
        _rotate(path, max_bytes, kept_files)


def files_newest_first(path: Path) -> list[Path]:
    """Return the file and its rotated predecessors that exist, the newest first."""
    rotated = sorted(
        (int(suffix), file)
        for file in path.parent.glob(f"{path.name}.*")
        if (suffix := file.name.removeprefix(f"{path.name}.")).isdigit()
    )
    return [file for file in (path, *(file for _, file in rotated)) if file.exists()]


@contextlib.contextmanager
def opened_files(path: Path) -> Iterator[list[BinaryIO]]:
    """Open the file and its predecessors that exist, the oldest first; none is renamed while they are being opened."""
    with contextlib.ExitStack() as opened:
        files: list[BinaryIO] = []
        with _unrotated(path):
            for file in reversed(files_newest_first(path)):
                with contextlib.suppress(FileNotFoundError):  # the lock could not be had
                    files.append(opened.enter_context(file.open("rb")))
        yield files


@contextlib.contextmanager
def _unrotated(path: Path) -> Iterator[None]:
    """Keep others from rotating the file while the block runs, where the folder lets a lock be made."""
    lock = _lock(path, ROTATION_S) if path.parent.is_dir() else None
    try:
        if lock is not None:
            lock.acquire()
    except (portalocker.LockException, OSError):  # a folder to read alone, or one who rotates without end
        lock = None
    try:
        yield
    finally:
        if lock is not None:
            lock.release()


def _lock(path: Path, timeout_s: float) -> portalocker.Lock:
    name = path.with_name(f"{path.name}.lock")
    return portalocker.Lock(
        name, timeout=timeout_s, check_interval=0.01, fail_when_locked=timeout_s == 0, opener=owners_alone
    )


def _append(path: Path, data: bytes) -> int:
    """Write the data at the end in one call and return the size that the file has then, in bytes."""
    flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | getattr(os, "O_BINARY", 0)
    file = owners_alone(str(path), flags)
    try:
        size = os.fstat(file).st_size
        if size:
            os.lseek(file, size - 1, os.SEEK_SET)
            if os.read(file, 1) != b"\n":
                data = b"\n" + data
        written = os.write(file, data)
        if written < len(data):
            raise OSError(f"only {written} of {len(data)} bytes could be written to {path}")
        return size + written
    finally:
        os.close(file)


def _rotate(path: Path, max_bytes: int, kept_files: int) -> None:
    """Move each file one number up, if no other process does so at this moment."""
    try:
        with _lock(path, 0):
            if path.stat().st_size < max_bytes:
                return  # another process has just rotated it
            for number in range(kept_files - 1, 0, -1):
                source = path.with_name(f"{path.name}.{number - 1}") if number > 1 else path
                if source.exists():
                    source.replace(path.with_name(f"{path.name}.{number}"))
    except (portalocker.LockException, PermissionError, FileNotFoundError):
        # Another process rotates, or (on Windows) has the file open: the next line tries again.
        return
