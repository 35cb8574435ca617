"""Word, Excel and PowerPoint files from before 2007, read without LibreOffice by the package office-oxide."""

import importlib.util
import tempfile
from pathlib import Path
from typing import Literal

from khub.components.converters.file_types import SAVED_ANEW
from khub.components.errors import SourceEncryptedError, SourceError
from khub.components.extras import install_extra

_FORMATS: dict[str, Literal["doc", "xls", "ppt"]] = {
    ".doc": "doc",
    ".dot": "doc",
    ".xls": "xls",
    ".xlt": "xls",
    ".ppt": "ppt",
    ".pps": "ppt",
    ".pot": "ppt",
}
BINARY = frozenset(_FORMATS)
"""Extensions of these files, in lower case."""
_OLE = b"\xd0\xcf\x11\xe0"
EXTRA = install_extra("office")
"""What installs the package."""


def has_reader(extension: str) -> bool:
    """Whether files with an extension (lower case) are of these formats, and what reads them is installed."""
    return extension in BINARY and importlib.util.find_spec("office_oxide") is not None


def is_binary(data: bytes) -> bool:
    """Whether a file is one of these: many others have their extensions."""
    return data.startswith(_OLE)


def save_as_xml(data: bytes, name: str, extension: str) -> bytes:
    """Write a file in the format that has been used since 2007.

    :param data: the file.
    :param name: its name, for messages.
    :param extension: in lower case; `has_reader` knows it.
    :returns: a DOCX, XLSX or PPTX file.
    :raises SourceError: when it is encrypted, or cannot be read.
    """
    from office_oxide import Document, OfficeOxideError

    with tempfile.TemporaryDirectory(prefix="khub-office-", ignore_cleanup_errors=True) as folder:
        new = Path(folder) / f"document{SAVED_ANEW[extension]}"
        try:
            with Document.from_bytes(data, _FORMATS[extension]) as document:
                document.save_as(str(new))
        except OfficeOxideError as error:
            if "encrypted" in str(error):
                raise SourceEncryptedError(
                    f"{name!r} is encrypted", "remove its password and ingest it again"
                ) from error
            raise SourceError(
                f"{name!r} cannot be read without LibreOffice ({error})",
                f"install LibreOffice and ingest it again, or save it as {new.suffix} with the program that made it",
                code="library_missing",
            ) from error
        return new.read_bytes()


def without_made_titles(pages: list[str]) -> list[str]:
    """Take out the titles "Slide 1", "Slide 2" … that slides without one get when they are saved anew."""
    made = ((f"# Slide {number}", page) for number, page in enumerate(pages, 1))
    return [page.removeprefix(title).lstrip("\n") if page.split("\n", 1)[0] == title else page for title, page in made]
