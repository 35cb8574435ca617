"""Pictures of documents, scaled to what a model looks at."""

import io
from pathlib import Path

LONGEST_SIDE = 1024


def scaled_picture(path: Path, mime: str) -> tuple[bytes, str, tuple[int, int]] | None:
    """Return a picture's bytes, type and size, its longest side no more than 1,024 pixels; None if it is unreadable."""
    from PIL import Image, UnidentifiedImageError

    try:
        with Image.open(path) as image:
            if max(image.size) <= LONGEST_SIDE:
                return path.read_bytes(), mime, image.size
            format_ = image.format or "PNG"
            image.thumbnail((LONGEST_SIDE, LONGEST_SIDE))
            buffer = io.BytesIO()
            image.save(buffer, format_)
            return buffer.getvalue(), mime, image.size
    except (OSError, ValueError, UnidentifiedImageError, Image.DecompressionBombError):
        return None
