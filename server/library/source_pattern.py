"""Which documents a person means by paths and patterns."""

import fnmatch
from pathlib import PurePath

from khub.server.library.row_sources import file_of
from khub.server.library.source_walk import absolute


def is_meant(source: str, pattern: str) -> bool:
    """Say whether a pattern names a document.

    :param source: of the document.
    :param pattern: path of its file, of the table in which it is a row or the mail to which it is attached, or of a
        folder around it; or one of these with `*`, `?` and `[…]`, also for the file's name alone.
    """
    path, file = absolute(pattern), PurePath(file_of(source))
    if source == pattern or path == file or path in file.parents:
        return True
    return fnmatch.fnmatch(str(file), str(path)) or fnmatch.fnmatch(file.name, pattern)
