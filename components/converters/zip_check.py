"""Looking into a packed office file before a parser unpacks it."""

import io
import zipfile

from khub.components.converters.source_reader import MEGABYTE
from khub.components.errors import SourceDamagedError, SourceEncryptedError, SourceSizeError

_OLE_MAGIC = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_UNPACKED_FACTOR = 5
_MAX_RATIO = 200
_RATIO_COUNTS_FROM = 10 * MEGABYTE


def check_zip(data: bytes, name: str, max_mb: float) -> None:
    """Refuse a zip container that is none, is damaged, or would unpack to far more than it should.

    The declared sizes are enough: Python's zipfile never unpacks more of an entry than its directory declares.

    :param data: the whole file.
    :param name: file name, for the message.
    :param max_mb: the limit for a packed file in megabytes; unpacked it may have five times as much.
    :raises SourceError: when it cannot be a sound office file.
    """
    if data.startswith(_OLE_MAGIC):
        raise SourceEncryptedError(
            f"{name!r} is encrypted or in the old binary Office format",
            "remove its password, or save it in the current format",
        )
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            entries = archive.infolist()
    except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError) as error:
        raise SourceDamagedError(f"{name!r} is damaged ({error})", "save or download it again") from error
    if any(entry.flag_bits & 1 for entry in entries):
        raise SourceEncryptedError(f"{name!r} is encrypted", "remove its password and ingest it again")
    unpacked = sum(entry.file_size for entry in entries)
    too_dense = unpacked > _RATIO_COUNTS_FROM and unpacked > _MAX_RATIO * len(data)
    if unpacked > max_mb * MEGABYTE * _UNPACKED_FACTOR or too_dense:
        raise SourceSizeError(
            f"{name!r} would unpack to {unpacked / MEGABYTE:.0f} MB from {len(data) / MEGABYTE:.1f} MB",
            "do not open it unless you trust its source; save it again from its program if you do",
        )
