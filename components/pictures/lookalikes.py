"""Pictures that an example is a copy or a part of: cut, scaled, or saved anew."""

import time

from khub.components.catalog.catalog import Catalog
from khub.components.catalog.picture_row import PictureRow
from khub.components.disk_full import DiskFullError
from khub.components.errors import QueryError
from khub.components.pictures.found_picture import FoundPicture
from khub.components.pictures.held import LARGEST, Held
from khub.components.pictures.print_index import PrintIndex
from khub.components.pictures.print_match import matches
from khub.components.raster.picture_print import LARGEST_EXAMPLE, example_of, picture_print

COMPARED = 160
"""Pictures that are compared closely, after a first comparison with all."""
LEAST_MATCH = 0.5
"""Correlation below which a picture does not even look similar."""
BUDGET_S = 3.0
"""How long a question may wait until pictures from before there were prints have theirs."""
BATCH = 50
LOOKED_UP = 64

_held: Held[PrintIndex] = Held()


def lookalikes(catalog: Catalog, collection: str, example: bytes, limit: int) -> tuple[list[FoundPicture], int]:
    """Return the pictures that the example looks like, best first, and how many could not be compared yet.

    :param collection: name of a collection that exists and the caller may use.
    :param example: a picture file.
    :returns: what `Images.get` says of each, with `score`, the correlation at the best place; those that
        `$KHUB_ACCESS` does not open are not among them.
    :raises QueryError: if the example cannot be read.
    """
    picture = example_of(example)
    if picture is None:
        raise QueryError(
            "the example is no picture that can be read, or too large",
            f"give a PNG, JPEG, WebP, GIF, BMP or TIFF file of up to {LARGEST_EXAMPLE // 1_000_000} million pixels",
        )
    waiting = _complete(catalog, collection)
    index = _held.get(catalog, collection, str(waiting), lambda: _index(catalog, collection))
    rows = _opened(catalog, collection, index.likely(picture))
    prints = catalog.picture_prints.get(list(rows))
    candidates = {
        digest: (print_, rows[digest][0]["width"] / max(rows[digest][0]["height"], 1))
        for digest, print_ in prints.items()
        if print_
    }
    scores = matches(picture, candidates) if candidates else {}
    found: list[FoundPicture] = [
        {**row, "score": round(score, 3)} for digest, score in scores.items() for row in rows[digest]
    ]
    alike = [row for row in found if row["score"] >= LEAST_MATCH]
    return sorted(alike, key=lambda row: (-row["score"], row["image_id"]))[:limit], waiting


def _index(catalog: Catalog, collection: str) -> PrintIndex:
    prints = catalog.picture_prints.of_collection(collection, LARGEST)
    return PrintIndex(list(prints), list(prints.values()))


def _opened(catalog: Catalog, collection: str, likely: list[str]) -> dict[str, list[PictureRow]]:
    """Return the first `COMPARED` files with a picture that the caller may see."""
    found: dict[str, list[PictureRow]] = {}
    start, size = 0, LOOKED_UP
    while start < len(likely) and len(found) < COMPARED:
        part = likely[start : start + size]
        rows = catalog.images.of_files(part, collection)
        found |= {digest: rows[digest] for digest in part if digest in rows}
        start, size = start + size, 4 * size
    return dict(list(found.items())[:COMPARED])


def _complete(catalog: Catalog, collection: str) -> int:
    """Make the prints of pictures that have none, as far as the time goes; return how many are left."""
    deadline = time.monotonic() + BUDGET_S
    while True:
        left, some = catalog.picture_prints.missing(collection, BATCH)
        if not left or time.monotonic() >= deadline:
            return left
        try:
            catalog.picture_prints.put({digest: _print_of(catalog, digest, mime) for digest, mime in some})
        except DiskFullError:
            return left


def _print_of(catalog: Catalog, digest: str, mime: str) -> bytes:
    try:
        file = catalog.images.file(digest, mime)
        catalog.files.find(file)
        return picture_print(file.read_bytes())
    except OSError:
        return b""
