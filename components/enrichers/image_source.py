"""Where the pictures of a document come from."""

from dataclasses import dataclass
from typing import Any, Protocol


@dataclass(frozen=True)
class SourceImage:
    """One picture, and what is known of it.

    :param data: the file's bytes.
    :param mime: like `image/png`.
    :param caption: its caption line in the document, "" if none was found.
    :param alt: its alternative text, "" if it has none.
    :param text: what OCR has read in it, "" if nothing.
    """

    data: bytes
    mime: str
    caption: str = ""
    alt: str = ""
    text: str = ""


class ImageSource(Protocol):
    """Gives pictures by their ids; a parameter of `ImageCaptioner`, in YAML as `{type, init_parameters}`."""

    def fetch(self, image_id: str) -> SourceImage | None:
        """Return a picture, None if there is none of this id. May be called from several threads."""
        ...

    def to_dict(self) -> dict[str, Any]:
        """Serialize to what a graph holds."""
        ...
