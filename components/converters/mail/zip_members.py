"""The files in a ZIP archive."""

import io
import lzma
import zipfile
import zlib
from functools import partial

from khub.components.converters.mail.attachment import Attachment
from khub.components.converters.text_decoder import NotTextError, decode_text
from khub.components.errors import SourceError
from khub.components.text.file_names import safe_name
from khub.components.text.hidden_characters import without_hidden
from khub.components.text.hidden_names import is_hidden

_NAME_IS_UTF8 = 0x800


def members_of(data: bytes) -> list[Attachment]:
    """Return the files of an archive, in its order; hidden ones are passed over, as in a folder.

    :param data: the archive, which has been checked.
    """
    archive = zipfile.ZipFile(io.BytesIO(data))
    members = []
    for entry in archive.infolist():
        steps = [step for step in _name(entry).replace("\\", "/").split("/") if step not in ("", ".", "..")]
        *folders, name = steps or [""]
        if not entry.is_dir() and name and not any(map(is_hidden, (*folders, name))):
            members.append(Attachment(name, "", partial(_read, archive, entry), _folder(folders), entry.file_size))
    return members


def _name(entry: zipfile.ZipInfo) -> str:
    """Return a name as its writer meant it: what is not said to be UTF-8 is in the code page of who packed it."""
    if entry.flag_bits & _NAME_IS_UTF8 or entry.filename.isascii():
        return entry.filename
    try:
        return decode_text(entry.filename.encode("cp437"))
    except (UnicodeEncodeError, NotTextError):
        return entry.filename


def _read(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> bytes:
    try:
        return archive.read(entry)
    except (zipfile.BadZipFile, zlib.error, lzma.LZMAError, RuntimeError, EOFError) as error:
        raise ValueError(str(error)) from error  # as for any part that is no sound one


def _folder(folders: list[str]) -> str:
    safe = []
    for folder in folders:
        try:
            safe.append(safe_name(without_hidden(folder)).rstrip("!"))
        except SourceError:  # nothing is left of the name
            continue
    return "/".join(filter(None, safe))
