import io
import zipfile

import pytest

from khub.components.converters.zip_check import check_zip
from khub.components.errors import SourceError
from tests.error_codes import raises_code

pytestmark = pytest.mark.unit


def pack(content: bytes) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("word/document.xml", content)
    return out.getvalue()


def test_an_ordinary_file_passes():
    check_zip(pack(b"<xml/>" * 1000), "a.docx", max_mb=1)


def test_a_dense_but_small_file_passes():
    check_zip(pack(b"0" * 5_000_000), "a.docx", max_mb=1)


def test_a_bomb_is_refused():
    with raises_code("source_too_large", "30 MB"):
        check_zip(pack(b"0" * 30_000_000), "a.docx", max_mb=200)


def test_the_unpacked_size_follows_max_mb():
    data = pack(bytes(range(256)) * 24_000)
    check_zip(data, "a.docx", max_mb=2)
    with raises_code("source_too_large", "6 MB"):
        check_zip(data, "a.docx", max_mb=1)


def test_damaged_and_encrypted():
    with pytest.raises(SourceError, match="is damaged"):
        check_zip(pack(b"x")[:-10], "a.docx", max_mb=1)
    with pytest.raises(SourceError, match="old binary Office format"):
        check_zip(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\x00" * 600, "a.docx", max_mb=1)
    flagged = bytearray(pack(b"x"))
    flagged[flagged.index(b"PK\x01\x02") + 8] |= 1
    with pytest.raises(SourceError, match="is encrypted"):
        check_zip(bytes(flagged), "a.docx", max_mb=1)
