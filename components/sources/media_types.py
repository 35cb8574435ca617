"""What a server says that a file is, as the extension by which the hub reads it."""

from pathlib import Path

from khub.components.converters.file_types import doc_type_of

MEDIA_TYPES = {
    "text/html": ".html",
    "application/xhtml+xml": ".html",
    "application/pdf": ".pdf",
    "application/json": ".json",
    "text/csv": ".csv",
    "text/markdown": ".md",
    "application/epub+zip": ".epub",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": ".docx",
    "application/vnd.openxmlformats-officedocument.presentationml.presentation": ".pptx",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": ".xlsx",
    "application/msword": ".doc",
    "application/vnd.ms-excel": ".xls",
    "application/vnd.ms-powerpoint": ".ppt",
    "application/rtf": ".rtf",
    "application/vnd.oasis.opendocument.text": ".odt",
    "application/vnd.oasis.opendocument.spreadsheet": ".ods",
    "application/vnd.oasis.opendocument.presentation": ".odp",
    "image/png": ".png",
    "image/jpeg": ".jpg",
    "image/tiff": ".tif",
    "image/webp": ".webp",
    "image/gif": ".gif",
    "image/bmp": ".bmp",
}
"""Media types that settle what a file is, whatever its URL ends in."""


def extension_for(content_type: str, name: str, extensions: frozenset[str]) -> str | None:
    """Return the extension under which something is kept; None if it is of no kind that is read.

    :param content_type: header of that name; may be empty.
    :param name: last part of its address.
    :param extensions: of the files that are read.
    """
    media_type = content_type.partition(";")[0].strip().lower()
    own = f".{name.rpartition('.')[2].lower()}" if "." in name else ""
    told = MEDIA_TYPES.get(media_type)
    if own in extensions and (told is None or doc_type_of(Path(f"x{own}")) == doc_type_of(Path(f"x{told}"))):
        return own
    return told or (".txt" if media_type.startswith("text/") else None)
