"""An example picture that a caller gives: one of the hub, its data, or a file."""

import base64
import binascii
import re
from collections.abc import Sequence
from pathlib import Path

from khub.components.errors import CollectionError, QueryError
from khub.server.reads.hub_reads import NotThereError, catalog_of_hub

LARGEST_FILE = 20_000_000
LARGEST_SENT = 4_000_000
"""Characters of base64: a request to the service has 4 MiB at most."""
IMAGE_ID = re.compile(r"[0-9a-z]{8,64}_\d+_\d+")
_DATA = re.compile(r"data:image/[a-z.+-]{1,20};base64,", re.ASCII)
_NAMES_PATH = 1000
"""Characters above which an example is no path."""


def example_given(text: str, roots: Sequence[Path] = ()) -> bytes:
    """Return the file of an example picture.

    :param text: an image_id; base64 or a `data:` address; or a path, in one of `roots`.
    :param roots: folders from which the caller may have files read.
    :raises KhubError: if there is no such picture for the caller, or it is too large or no base64.
    """
    if IMAGE_ID.fullmatch(text):
        return stored_example(text)
    prefix = _DATA.match(text)
    if roots and prefix is None and len(text) < _NAMES_PATH and not _is_base64(text):
        from khub.server.reads.roots import confined

        return file_example(Path(confined([text], roots)[0]))
    encoded = text[prefix.end() if prefix else 0 :]
    if len(encoded) > LARGEST_SENT:
        raise QueryError(
            f"the example is larger than {LARGEST_SENT * 3 // 4_000_000} MB", "scale it down", code="too_large"
        )
    try:
        return base64.b64decode(encoded, validate=True)
    except (binascii.Error, ValueError) as error:
        remedy = "send one of them, or a path in the folders that this server may read" if roots else "send one of them"
        raise QueryError("the example is neither an image_id of the hub nor a picture in base64", remedy) from error


def stored_example(image_id: str) -> bytes:
    """Return the file of a picture of the hub.

    :raises NotThereError: if there is none with this id for the caller.
    """
    picture = catalog_of_hub().images.get([image_id]).get(image_id)
    if picture is None:
        raise NotThereError(
            f"there is no picture {image_id!r}",
            "take an image_id from an answer or search_images",
            code="picture_unknown",
        )
    return file_example(Path(picture["path"]))


def file_example(path: Path) -> bytes:
    """Return the bytes of a file that is no larger than `LARGEST_FILE`.

    :raises QueryError: if it is larger, or no file: a pipe would never end.
    :raises CollectionError: if it cannot be read.
    """
    try:
        if path.exists() and not path.is_file():
            raise QueryError(f"{path.name!r} is no file", "give a picture file")
        if path.stat().st_size > LARGEST_FILE:
            raise QueryError(
                f"{path.name!r} is larger than {LARGEST_FILE // 1_000_000} MB", "scale it down", code="too_large"
            )
        return path.read_bytes()
    except OSError as error:
        raise CollectionError(f"{path.name!r} cannot be read ({error.strerror})", "give a picture file") from error


def _is_base64(text: str) -> bool:
    """Say whether a short text is the data of a picture: a tiny PNG, JPEG, GIF, WebP or BMP."""
    return text.startswith(("iVBOR", "/9j/", "R0lGOD", "UklGR", "Qk"))
