"""Names of files that came from somewhere else, made safe for any file system and reader."""

import re
import unicodedata
from pathlib import Path

from khub.components.errors import SourceError

LONGEST_NAME = 180
"""Bytes of a file's name; file systems take 255."""
NOT_IN_NAMES = re.compile(r'[<>:"|?*\x00-\x1f\x7f-\x9f\ud800-\udfff\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]')
RESERVED = re.compile(r"(?i)(con|prn|aux|nul|com\d|lpt\d)(\..*)?")


def safe_name(given: str) -> str:
    """Return a file's name without folders and without what a file system or a reader would stumble over.

    :raises SourceError: if nothing is left of it.
    """
    last = unicodedata.normalize("NFC", given).replace("\\", "/").rpartition("/")[2]
    name = NOT_IN_NAMES.sub("", last).strip(" .")
    if RESERVED.fullmatch(name):
        name = f"_{name}"
    if not name:
        raise SourceError(
            f"{given[:80]!r} is no name for a file", "give one with letters, and an extension", code="name_invalid"
        )
    stem, suffix = Path(name).stem, Path(name).suffix
    room = LONGEST_NAME - len(suffix.encode())
    return (stem.encode()[:room].decode(errors="ignore") + suffix) if room > 0 else stem[:20]
