"""What an office file of an older kind really holds, seen before LibreOffice opens it.

LibreOffice takes for text whatever it does not know: a damaged workbook would come in as garbage.
"""

import io
import zipfile

from khub.components.converters.file_types import SAVED_ANEW
from khub.components.converters.text_decoder import NotTextError, decode_text
from khub.components.errors import SourceDamagedError, SourceEncryptedError, SourceError

_KINDS = {".docx": "text document", ".xlsx": "spreadsheet", ".pptx": "presentation"}
_OLE = b"\xd0\xcf\x11\xe0"
_STREAMS = {"WordDocument": ".doc", "Workbook": ".xls", "Book": ".xls", "PowerPoint Document": ".ppt"}
_ENCRYPTED = "EncryptedPackage"
_ZIP = b"PK\x03\x04"
_FOLDERS = {"word/": ".docx", "xl/": ".xlsx", "ppt/": ".pptx"}
_OPEN_DOCUMENT = {"text": ".odt", "spreadsheet": ".ods", "presentation": ".odp"}
_OPEN_DOCUMENT_TYPE = "application/vnd.oasis.opendocument."
_BEFORE_OLE = {b"\xdb\xa5": ".doc", b"\x09\x00": ".xls", b"\x09\x02": ".xls", b"\x09\x04": ".xls", b"\x09\x08": ".xls"}
_MARKUP = ("<", "ID;P")  # HTML, XML, and SYLK: text in which LibreOffice knows a document


def plain_text(data: bytes, extension: str) -> str | None:
    """Return the text of a text file that is named like an office file; None for any other file.

    Many programs write tables as text and call them `.xls`.
    """
    if SAVED_ANEW[extension] == ".pptx" or data.startswith((_OLE, _ZIP, b"{\\rtf")):
        return None
    try:
        text = decode_text(data)
    except NotTextError:
        return None
    return None if text.lstrip().startswith(_MARKUP) else text


def check_content(data: bytes, name: str, extension: str) -> None:
    """Refuse a file that is damaged, or holds something else than its name says.

    :param data: the whole file, which is no plain text.
    :param name: its name, for messages.
    :param extension: in lower case, one of `SAVED_ANEW`.
    :raises SourceError: with what it holds, as far as that shows.
    """
    kind = _KINDS[SAVED_ANEW[extension]]
    held = _held(data, name)
    if held is None:
        raise SourceDamagedError(
            f"{name!r} is damaged or no {kind}", "save it anew with the program that made it, or download it again"
        )
    if held and SAVED_ANEW.get(held, held) != SAVED_ANEW[extension]:
        raise SourceDamagedError(
            f"{name!r} is no {kind}: it holds a {_KINDS[SAVED_ANEW.get(held, held)]}",
            f"rename it so that it ends in {held}",
        )


def _held(data: bytes, name: str) -> str | None:
    """Return the extension that fits what a file holds; "" for markup of any kind; None for what is no document."""
    if data.startswith(_OLE):
        return _in_ole(data, name)
    if data.startswith(_ZIP):
        return _in_zip(data)
    if data.startswith(b"{\\rtf"):
        return ".rtf"
    try:
        return "" if decode_text(data).lstrip().startswith(_MARKUP) else None
    except NotTextError:
        return _BEFORE_OLE.get(data[:2])


def _in_ole(data: bytes, name: str) -> str | None:
    import olefile

    try:
        with olefile.OleFileIO(io.BytesIO(data)) as container:
            if container.exists(_ENCRYPTED):
                raise SourceEncryptedError(f"{name!r} is encrypted", "remove its password and ingest it again")
            for stream, extension in _STREAMS.items():
                if container.exists(stream):
                    return extension if container.openstream(stream).read(1) else None
    except SourceError:
        raise
    except Exception:  # whatever a container makes of bytes that are none
        return None
    return None


def _in_zip(data: bytes) -> str | None:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as parts:
            names = parts.namelist()
            if "mimetype" in names:
                with parts.open("mimetype") as stream:
                    declared = stream.read(200).decode("ascii", errors="replace")
                if declared.startswith(_OPEN_DOCUMENT_TYPE):
                    kind = declared.removeprefix(_OPEN_DOCUMENT_TYPE).strip().removesuffix("-template")
                    return _OPEN_DOCUMENT.get(kind)
    except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError, RuntimeError):
        return None
    fitting = (extension for folder, extension in _FOLDERS.items() if any(part.startswith(folder) for part in names))
    return next(fitting, "" if "content.xml" in names else None)
