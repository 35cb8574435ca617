"""Pictures of office documents: those that show something, as PNG or JPEG."""

import hashlib
import io
import warnings

from PIL import Image

from khub.components.catalog.picture import PICTURE_MARK, Picture

_KEPT = {"PNG": "image/png", "JPEG": "image/jpeg"}
_CONVERTED = {"GIF", "BMP", "WEBP", "TIFF", "DIB", "MPO"}
_MIN_SIDE = 24
_MIN_AREA = 2500
_MAX_PIXELS = 60_000_000


class PictureCollector:
    """Takes pictures in reading order and numbers them.

    :param page: page on which they stand; None in a document without pages.
    """

    def __init__(self, page: int | None = None) -> None:
        self.page = page
        self.pictures: list[Picture] = []

    def add(self, data: bytes | None, alt: str = "", caption: str = "") -> str:
        """Take a picture.

        :param data: the image file; formats other than PNG and JPEG are converted.
        :param alt: what a person wrote about it.
        :param caption: the caption line found.
        :returns: the mark to put into the text; "" for a picture that is decoration, or in a format (EMF, WMF, SVG)
            that cannot be read.
        """
        if not data:
            return ""
        found = _readable(data)
        if found is None:
            return ""
        mime, kept, width, height = found
        seq = len(self.pictures) + 1
        self.pictures.append(
            Picture(
                page=self.page,
                seq=seq,
                bbox=None,
                width=width,
                height=height,
                mime=mime,
                data=kept,
                kind="raster",
                caption=caption,
                alt=alt,
            )
        )
        return PICTURE_MARK.format(page=self.page or 0, seq=seq)


def digest(data: bytes) -> bytes:
    """Return what tells one picture's bytes from another's."""
    return hashlib.sha256(data).digest()


def _readable(data: bytes) -> tuple[str, bytes, int, int] | None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            image = Image.open(io.BytesIO(data))
            width, height = image.size
            too_small = min(width, height) < _MIN_SIDE or width * height < _MIN_AREA
            if too_small or width * height > _MAX_PIXELS:
                return None
            if image.format in _KEPT:
                image.verify()
                return _KEPT[image.format], data, width, height
            if image.format not in _CONVERTED:
                return None
            out = io.BytesIO()
            image.convert("RGBA" if "A" in image.getbands() or "transparency" in image.info else "RGB").save(out, "PNG")
            return "image/png", out.getvalue(), width, height
    except (OSError, ValueError, SyntaxError, EOFError, Image.DecompressionBombError):
        return None
