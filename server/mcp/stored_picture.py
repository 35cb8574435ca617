"""Pictures of documents as the content of a result."""

import base64
from pathlib import Path

from mcp_types import Annotations, ImageContent

from khub.components.catalog.picture_row import PictureRow
from khub.server.mcp.budget import image_tokens
from khub.server.reads.scaled_picture import scaled_picture


def as_content(picture: PictureRow) -> tuple[ImageContent, int] | None:
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
