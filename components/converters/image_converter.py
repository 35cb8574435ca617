"""Picture files page by page, behind MarkItDown's front door."""

import io
import struct
import warnings
from collections.abc import Iterator
from datetime import datetime
from typing import Any, BinaryIO

import numpy as np
from markitdown import DocumentConverter, StreamInfo
from PIL import ExifTags, Image, ImageOps, ImageSequence, UnidentifiedImageError

from khub.components.catalog.picture import Picture
from khub.components.converters.file_types import CONVERTED_TYPES
from khub.components.converters.structured_result import StructuredResult
from khub.components.errors import SourceDamagedError, SourceSizeError

_FORMATS = ("PNG", "JPEG", "TIFF", "WEBP", "BMP", "DIB", "GIF")
_LONGEST_SIDE = 4096  # OCR looks at no more
_MOST_PAGES = 1000
_JPEG_QUALITY = 90
_PHOTOGRAPHIC = {"JPEG", "MPO", "WEBP", "TIFF"}
_SMALL_COPY = 1  # as TIFF says of a page that shows another one
_PLAIN = {"1", "L", "LA", "P", "RGB", "RGBA"}
_OF_THE_LOOK = {
    "adobe", "adobe_transform", "aspect", "background", "chromaticity", "dpi", "gamma", "icc_profile", "interlace",
    "jfif", "jfif_density", "jfif_unit", "jfif_version", "progression", "progressive", "srgb", "transparency",
}  # fmt: skip
"""What a file may say beside its pixels and be kept as it is; anything else may name a place or a person."""
_SAVE_AGAIN = "open and save it with a program for pictures, or replace it"


class ImageConverter(DocumentConverter):
    """Reads a picture as a document whose text waits for OCR: a page each of a TIFF, the first picture of others.

    Of what a camera writes beside the pixels the time alone is kept; where the picture was taken is nowhere.
    """

    def accepts(self, file_stream: BinaryIO, stream_info: StreamInfo, **kwargs: Any) -> bool:  # noqa: ARG002
        """Accept by extension alone."""
        return CONVERTED_TYPES.get(stream_info.extension or "") == "image"

    def convert(self, file_stream: BinaryIO, stream_info: StreamInfo, **kwargs: Any) -> StructuredResult:  # noqa: ARG002
        """Read the picture.

        :param file_stream: the file; its first bytes settle the format, whatever its extension.
        :param stream_info: its `filename` is used in messages.
        :returns: the marks of its pages, the pages as upright pictures within bounds, and when it was made.
        :raises SourceError: when it is no picture, damaged or too large.
        """
        name, data = stream_info.filename or "the file", file_stream.read()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of large pictures, and of odd metadata
            try:
                with Image.open(io.BytesIO(data), formats=_FORMATS) as image:
                    pictures = [_picture(page, number, data) for number, page in enumerate(_pages(image, name), 1)]
                    made = _made(image)
            except Image.DecompressionBombError as error:
                most = 2 * (Image.MAX_IMAGE_PIXELS or 0) / 1e6
                raise SourceSizeError(f"{name!r} has more than {most:.0f} million pixels", "save it smaller") from error
            except UnidentifiedImageError as error:
                raise SourceDamagedError(f"{name!r} is damaged or no picture of a known format", _SAVE_AGAIN) from error
            except (OSError, ValueError, SyntaxError, EOFError, KeyError, TypeError, IndexError) as error:
                raise SourceDamagedError(f"{name!r} is damaged ({error})", _SAVE_AGAIN) from error
        return StructuredResult(
            metadata={"created": made},
            pages=[picture.mark for picture in pictures],
            pictures=pictures,
            heading_is_title=False,
        )


def _pages(image: Image.Image, name: str) -> Iterator[Image.Image]:
    if image.format != "TIFF":
        yield image
        return
    count = getattr(image, "n_frames", 1)
    if count > _MOST_PAGES:
        raise SourceSizeError(f"{name!r} has {count:,} pages, more than {_MOST_PAGES:,}", "split the file")
    for page in ImageSequence.Iterator(image):
        if count == 1 or page.getexif().get(ExifTags.Base.NewSubfileType) != _SMALL_COPY:
            yield page


def _picture(page: Image.Image, number: int, data: bytes) -> Picture:
    if mime := _kept_as(page):
        return Picture(number, 1, None, *page.size, mime, data, "file")
    shown, out = _upright(page), io.BytesIO()
    mime = "image/jpeg" if page.format in _PHOTOGRAPHIC and shown.mode in {"L", "RGB"} else "image/png"
    if mime == "image/png":
        shown.save(out, "PNG")
    else:
        shown.save(
            out, "JPEG", quality="keep" if shown is page and page.format == "JPEG" else _JPEG_QUALITY, comment=b""
        )
    return Picture(number, 1, None, *shown.size, mime, out.getvalue(), "file")


def _kept_as(page: Image.Image) -> str | None:
    """Return the type of a file that is kept byte for byte; None of others: too large, or saying more than is shown."""
    mime = {"PNG": "image/png", "JPEG": "image/jpeg"}.get(page.format or "")
    if getattr(page, "n_frames", 1) > 1 or max(page.size) > _LONGEST_SIDE or page.mode not in _PLAIN:
        return None
    page.load()  # damage must show here, and a PNG may say more behind its pixels
    return mime if set(page.info) <= _OF_THE_LOOK else None


def _upright(page: Image.Image) -> Image.Image:
    """Return the picture as a person would see it, within bounds, and in a mode that PNG or JPEG can hold."""
    page.draft(None, (_LONGEST_SIDE, _LONGEST_SIDE))  # a huge JPEG is never unpacked whole
    shown = page
    if page.mode.startswith(("I", "F")):
        shown = _of_eight_bits(page)
    elif "transparency" in page.info or page.mode in {"LA", "PA", "La", "RGBa"}:
        shown = page.convert("RGBA")
    elif page.mode not in {"1", "L", "RGB", "RGBA"}:
        shown = page.convert("RGB")
    if max(shown.size) > _LONGEST_SIDE:
        shown = shown.convert("L") if shown.mode == "1" else shown
        shown.thumbnail((_LONGEST_SIDE, _LONGEST_SIDE), Image.Resampling.LANCZOS)
    upright = page.format == "TIFF" or _tags(page).get(ExifTags.Base.Orientation, 1) == 1  # a TIFF is opened so
    return shown if upright else ImageOps.exif_transpose(shown)


def _of_eight_bits(page: Image.Image) -> Image.Image:
    """Return a picture of 16 bits or more in shades of grey; Pillow would cut them off at 255."""
    shades = np.asarray(page).astype(np.float32)
    return Image.fromarray((shades * (255 / max(float(shades.max()), 1.0))).clip(0, 255).astype(np.uint8))


def _tags(image: Image.Image) -> Image.Exif:
    """Return what a camera wrote beside the pixels; nothing where it is damaged: the picture may be sound."""
    try:
        return image.getexif()
    except (OSError, ValueError, SyntaxError, EOFError, KeyError, TypeError, IndexError, struct.error):
        return Image.Exif()


def _made(image: Image.Image) -> str | None:
    """Return when a picture was taken or scanned, as ISO 8601."""
    tags = _tags(image)
    taken = tags.get_ifd(ExifTags.IFD.Exif)
    for written, zone in (
        (taken.get(ExifTags.Base.DateTimeOriginal), taken.get(ExifTags.Base.OffsetTimeOriginal)),
        (taken.get(ExifTags.Base.DateTimeDigitized), taken.get(ExifTags.Base.OffsetTimeDigitized)),
        (tags.get(ExifTags.Base.DateTime), taken.get(ExifTags.Base.OffsetTime)),
    ):
        try:
            time = datetime.strptime(str(written).strip("\0 "), "%Y:%m:%d %H:%M:%S")
            return datetime.fromisoformat(f"{time.isoformat()}{zone or ''}").isoformat()
        except ValueError:
            continue
    return None
