"""A picture as the catalog lists it."""

from typing import Literal, TypedDict


class PictureRow(TypedDict):
    """A row of the table `images`, with the collection and source of its document.

    :ivar image_id: `{doc_id}_{page}_{seq}`.
    :ivar page: from 1; None where the format has no pages.
    :ivar box: left, top, right, bottom in points, origin at the top left; None where that is not known.
    :ivar size: of its file, in bytes.
    :ivar text: words read in it.
    :ivar path: of its file.
    """

    image_id: str
    doc_id: str
    collection: str
    source: str
    page: int | None
    box: list[float] | None
    kind: Literal["raster", "drawing", "file"]
    mime: str
    width: int
    height: int
    size: int
    sha256: str
    caption: str
    alt: str
    text: str
    description: str
    path: str
