"""A picture of a document, and the mark that stands at its place in the text."""

import base64
from dataclasses import asdict, dataclass
from typing import Any, Literal

PICTURE_MARK = "[IMAGE: {seq}@{page}]"


@dataclass(frozen=True, slots=True)
class Picture:
    """One picture.

    :param page: page number, from 1; None where the format has no pages.
    :param seq: number on its page (in the document where there are no pages), from 1.
    :param bbox: left, top, right, bottom in points, origin at the top left of the page as it is shown; or None.
    :param width: in pixels.
    :param height: in pixels.
    :param mime: "image/png" or "image/jpeg".
    :param data: the file's bytes.
    :param kind: "raster" for an image of the file, "drawing" for a rendered vector drawing, "page" for a whole page
        that has no readable text layer, "file" for a picture that is a document, or a page of one, by itself.
    :param caption: the caption found beside it, or "".
    :param alt: its alternative text, or "".
    """

    page: int | None
    seq: int
    bbox: tuple[float, float, float, float] | None
    width: int
    height: int
    mime: str
    data: bytes
    kind: Literal["raster", "drawing", "page", "file"]
    caption: str = ""
    alt: str = ""

    @property
    def mark(self) -> str:
        """The line that stands for it in the text."""
        return PICTURE_MARK.format(page=self.page or 0, seq=self.seq)

    def to_dict(self) -> dict[str, Any]:
        """Return what JSON can hold; `data` is in base64."""
        return {**asdict(self), "data": base64.b64encode(self.data).decode("ascii")}

    @classmethod
    def from_dict(cls, fields: dict[str, Any]) -> "Picture":
        """Build it from what `to_dict` returned, even after a way through JSON."""
        bbox = fields["bbox"]
        return cls(**{**fields, "bbox": tuple(bbox) if bbox else None, "data": base64.b64decode(fields["data"])})


@dataclass(frozen=True, slots=True)
class DocumentPicture:
    """A picture of one document of a collection.

    :param image_id: `{doc_id}_{page}_{seq}`, page 0 where the format has no pages; `[IMAGE: {image_id}]` is its mark in
        the document's text.
    :param doc_id: the document.
    :param source: its path.
    :param picture: the picture itself.
    :param text: the words read in it, or "".
    :param description: what it shows, in words, or "".
    """

    image_id: str
    doc_id: str
    source: str
    picture: Picture
    text: str = ""
    description: str = ""
