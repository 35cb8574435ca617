"""What a picture is recognised by: its brightness at 64 x 64 places."""

import threading

import numpy as np
from PIL import Image

from khub.components.raster.picture_pixels import rgb_picture

SIDE = 64
DECODED_SIDE = 4 * SIDE
"""Pixels of the longer side from which on a JPEG is decoded no finer."""
LARGEST_EXAMPLE = 16_000_000
"""Pixels of an example: whoever may search may send any, and a small file can have 100 million."""

_one_at_a_time = threading.Lock()


def picture_print(data: bytes) -> bytes:
    """Return a picture's print, `SIDE` rows of `SIDE` bytes; b"" where it cannot be read.

    :param data: a PNG or JPEG file.
    """
    try:
        picture = rgb_picture(data, DECODED_SIDE)
    except (OSError, ValueError, Image.DecompressionBombError):
        return b""
    return brightness(picture, SIDE, SIDE).astype(np.uint8).tobytes()


def brightness(picture: Image.Image, width: int, height: int) -> np.ndarray:
    """Return the mean brightness of a picture's places, (height, width) of float32 from 0 to 255."""
    grey = picture if picture.mode == "L" else picture.convert("L")
    return np.asarray(grey.resize((width, height), Image.Resampling.BOX), np.float32)


def example_of(data: bytes) -> Image.Image | None:
    """Return a picture that others are compared with, grey and of a bounded size; None where it cannot be read.

    Also where it has more pixels than `LARGEST_EXAMPLE`, a JPEG after it was reduced.
    """
    try:
        with _one_at_a_time:
            picture = rgb_picture(data, DECODED_SIDE, LARGEST_EXAMPLE).convert("L")
    except (OSError, ValueError, Image.DecompressionBombError):
        return None
    factor = DECODED_SIDE / max(picture.size)
    if factor < 1:
        size = (max(round(picture.width * factor), 1), max(round(picture.height * factor), 1))
        picture = picture.resize(size, Image.Resampling.BOX)
    return picture
