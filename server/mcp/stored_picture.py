"""Pictures of documents, scaled to what a model looks at."""

import base64
import io
from pathlib import Path
from typing import Any

from mcp_types import Annotations, ImageContent

from server.mcp.budget import image_tokens

LONGEST_SIDE = 1024


def as_content(picture: dict[str, Any]) -> tuple[ImageContent, int] | None:
    """Return a stored picture as content, and the tokens that it takes; None if its file cannot be read.

    :param picture: from the catalog.
    """
    scaled = scaled_picture(Path(picture["path"]), picture["mime"])
    if scaled is None:
        return None
    data, mime, size = scaled
    return image_content(data, mime), image_tokens(*size)


def image_content(data: bytes, mime: str) -> ImageContent:
    """Return an image as content, for people and models."""
    encoded = base64.b64encode(data).decode()
    about = Annotations(audience=["user", "assistant"], priority=0.7)
    return ImageContent(type="image", data=encoded, mime_type=mime, annotations=about)


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
