"""A file that is not what its name says is refused before LibreOffice takes it for text."""

import io
import random
import zipfile

import pytest

from khub.components.converters.office.content import check_content, plain_text
from khub.components.errors import SourceError
from tests.error_codes import raises_code

pytestmark = pytest.mark.unit

TABLE = "姓名\t城市\n王小明\t上海浦东\n李小红\t北京朝阳区\n"
OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"


def packed(**parts: bytes) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, data in parts.items():
            archive.writestr(name.replace("__", "/"), data)
    return stream.getvalue()


SPREADSHEET = packed(mimetype=b"application/vnd.oasis.opendocument.spreadsheet", content=b"x" * 500)


@pytest.mark.parametrize("extension", [".xls", ".doc", ".ppt", ".rtf", ".ods"])
@pytest.mark.parametrize(
    "data", [random.Random(1).randbytes(3000), OLE + b"\x00" * 600, OLE[:6], SPREADSHEET[:300], packed(other=b"x")]
)
def test_what_is_damaged_is_refused(data, extension):
    assert plain_text(data, extension) is None
    with raises_code("source_damaged", "'a'") as caught:
        check_content(data, "a", extension)
    assert "download it again" in caught.value.remedy


@pytest.mark.parametrize(
    ("data", "extension", "fitting"),
    [
        (packed(word__document=b"x"), ".xls", ".docx"),
        (packed(xl__workbook=b"x"), ".doc", ".xlsx"),
        (SPREADSHEET, ".odt", ".ods"),
        (b"{\\rtf1 words}", ".xls", ".rtf"),
        (b"\x09\x04\x06\x00\x00\x00\x10\x00", ".doc", ".xls"),
    ],
)
def test_another_kind_is_told_with_its_extension(data, extension, fitting):
    with pytest.raises(SourceError, match="it holds a") as caught:
        check_content(data, "a", extension)
    assert caught.value.remedy.endswith(fitting)


@pytest.mark.parametrize(
    ("data", "extension"),
    [
        (b"{\\rtf1 words}", ".rtf"),
        (b"{\\rtf1 words}", ".doc"),
        (packed(word__document=b"x"), ".doc"),
        (SPREADSHEET, ".ods"),
        (b"<html><table><tr><td>1</td></tr></table></html>", ".xls"),
        ("\ufeff<?xml version='1.0'?><x/>".encode(), ".odt"),
        (b"ID;PWXL;N;E\n", ".xls"),
    ],
)
def test_what_fits_is_left_to_libreoffice(data, extension):
    assert plain_text(data, extension) is None
    check_content(data, "a", extension)


@pytest.mark.parametrize("encoding", ["gbk", "utf-8", "utf-16"])
def test_text_is_known_in_its_encoding(encoding):
    assert plain_text(TABLE.encode(encoding), ".xls") == TABLE


def test_a_text_named_like_a_workbook_is_read_as_a_table(convert, monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))  # no LibreOffice is asked
    document, failure = convert("export.xls", TABLE.encode("gbk"))
    assert failure is None
    assert "| 王小明 | 上海浦东 |" in document.content
