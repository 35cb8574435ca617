"""Which files are sent to a service, under which names, and how many at a time."""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from khub.components.errors import KhubError, SourceError
from khub.components.failed_file import FailedFile, failed_file
from khub.server.library.uploads import safe_path
from khub.server.remote.form import SentFile

MOST_FILES, MOST_BYTES = 1000, 200_000_000
"""Of a request; a service takes ten times as much, but what a broken connection costs should be little."""


def sendable(paths: Sequence[str], folders: Sequence[str], failed: list[FailedFile]) -> list[SentFile]:
    """Return the files that can be sent; why the others cannot is added to `failed`.

    A service knows a file of a folder by its path from there on, the folder's own name included, and others by their
    names: a second one of that name would replace the first.

    :param paths: of the files, absolute.
    :param folders: in which some of them were found, absolute.
    """
    sent: dict[str, SentFile] = {}
    for path in paths:
        try:
            file = _file(path, folders)
            if other := sent.get(file.name):
                raise SourceError(
                    f"{path!r} has the name of {other.path!r}, which it would replace at the service",
                    "rename one of them, or ingest it into another collection",
                    code="name_taken",
                )
            sent[file.name] = file
        except KhubError as error:
            failed.append(failed_file(path, "check", error))
    return list(sent.values())


def parts(files: Sequence[SentFile]) -> Iterator[list[SentFile]]:
    """Yield the files of one request after the other; a file that is larger than all of one has one for itself."""
    part: list[SentFile] = []
    for file in files:
        if part and (len(part) >= MOST_FILES or sum(one.size for one in part) + file.size > MOST_BYTES):
            yield part
            part = []
        part.append(file)
    if part:
        yield part


def _file(path: str, folders: Sequence[str]) -> SentFile:
    above = next((Path(folder).parent for folder in folders if Path(path).is_relative_to(folder)), Path(path).parent)
    try:
        with Path(path).open("rb") as stream:
            return SentFile(
                path, safe_path(Path(path).relative_to(above).as_posix()), os.fstat(stream.fileno()).st_size
            )
    except OSError as error:
        raise SourceError(f"{path!r} cannot be read ({error.strerror})", "check its permissions") from error
