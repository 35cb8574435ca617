"""PNG files from pixels."""

import struct
import zlib

import numpy as np

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_GRAY, _RGB = 0, 2
_UP = 2
_LEVEL = 6


def encode_png(pixels: "np.ndarray") -> bytes:
    """Encode an image; one whose channels are equal everywhere is stored as grey.

    :param pixels: uint8 of shape (height, width, 3), red, green, blue.
    :returns: the file's bytes.
    """
    gray = bool((pixels[:, :, 0] == pixels[:, :, 1]).all() and (pixels[:, :, 1] == pixels[:, :, 2]).all())
    height, width = pixels.shape[:2]
    rows = pixels[:, :, 0] if gray else pixels.reshape(height, width * 3)
    above = np.zeros_like(rows)
    above[1:] = rows[:-1]
    filtered = np.full((height, rows.shape[1] + 1), _UP, dtype=np.uint8)
    filtered[:, 1:] = rows - above
    header = struct.pack(">IIBBBBB", width, height, 8, _GRAY if gray else _RGB, 0, 0, 0)
    body = zlib.compress(filtered.tobytes(), _LEVEL)
    return _SIGNATURE + _chunk(b"IHDR", header) + _chunk(b"IDAT", body) + _chunk(b"IEND", b"")


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
