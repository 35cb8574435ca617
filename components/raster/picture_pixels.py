"""Pixels of a picture file, within bounds."""

import io
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from PIL import Image

_MOST_PIXELS = 100_000_000
_LONGEST_SIDE = 4096
_SMALL_SIDE = 736
_LARGEST_FACTOR = 3.0
_FORMATS = ("PNG", "JPEG", "WEBP", "GIF", "BMP", "TIFF")  # of others Pillow would start programs


def pixels_of(data: bytes, max_side: int) -> np.ndarray:
    """Decode a picture for reading.

    A huge one is reduced, since memory must be bounded; the letters of a small one are too few pixels high to be
    read, so it is enlarged.

    :param data: a PNG or JPEG file.
    :param max_side: a picture is not enlarged beyond so many pixels.
    :returns: shape (height, width, 3), blue first, 8 bits each, on white where it is transparent.
    :raises ValueError: when it has too many pixels.
    :raises OSError: when it is no picture, or damaged.
    """
    from PIL import Image

    picture = rgb_picture(data, _LONGEST_SIDE)
    longest, shortest = max(picture.size), max(min(picture.size), 1)
    factor = min(max(_SMALL_SIDE / shortest, 1.0), max(max_side / longest, 1.0), _LARGEST_FACTOR)
    factor = min(factor, _LONGEST_SIDE / longest)
    if abs(factor - 1) > 0.01:
        size = (max(round(picture.width * factor), 1), max(round(picture.height * factor), 1))
        picture = picture.resize(size, Image.Resampling.LANCZOS if factor < 1 else Image.Resampling.BICUBIC)
    return np.ascontiguousarray(np.asarray(picture)[:, :, ::-1])


def rgb_picture(data: bytes, longest: int, most_pixels: int = _MOST_PIXELS) -> "Image.Image":
    """Decode a picture: 8 bits a colour, on white where it is transparent.

    :param data: a PNG, JPEG, WebP, GIF, BMP or TIFF file.
    :param longest: pixels of the longer side that are enough; a JPEG is decoded no finer than about that.
    :param most_pixels: more are not decoded; each takes up to 15 bytes.
    :raises ValueError: when it has too many pixels.
    :raises OSError: when it is no picture, or damaged.
    """
    from PIL import Image

    with Image.open(io.BytesIO(data), formats=_FORMATS) as file:
        if file.width * file.height > _MOST_PIXELS:
            raise ValueError(f"it has {file.width} x {file.height} pixels, more than {_MOST_PIXELS}")
        file.draft("RGB", (longest, longest))
        if file.width * file.height > most_pixels:
            raise ValueError(f"it has {file.width} x {file.height} pixels, more than {most_pixels}")
        picture: Image.Image = file
        if file.mode.startswith("I;16"):
            # Pillow would cut off at 255, and a page of 16 bits would be white.
            picture = Image.fromarray((np.asarray(file) >> 8).astype(np.uint8))
        if "transparency" in file.info or file.mode in {"LA", "RGBA"}:
            picture = picture.convert("RGBA")
            picture = Image.alpha_composite(Image.new("RGBA", picture.size, "white"), picture)
        return picture.convert("RGB")
