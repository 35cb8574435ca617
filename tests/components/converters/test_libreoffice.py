"""Without LibreOffice, or one of its parts, files that it would read are told with what installs it."""

import pytest

from khub.components.converters.file_types import SAVED_ANEW
from khub.components.converters.office import libreoffice
from khub.components.converters.office.libreoffice import check_libreoffice
from tests.error_codes import raises_code

pytestmark = pytest.mark.unit


@pytest.fixture
def programs(tmp_path, monkeypatch):
    """A folder that is all of PATH."""
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(libreoffice, "_USUAL_PLACES", ())
    return tmp_path


def install(folder, *parts):
    for name in ("soffice", "soffice.bin", *(f"lib{part}lo.so" for part in parts)):
        (folder / name).write_text("#!/bin/sh\n", encoding="utf-8")
        (folder / name).chmod(0o700)


@pytest.fixture(autouse=True)
def no_other_reader(monkeypatch):
    """The package that reads files from before 2007 is not installed."""
    monkeypatch.setattr(libreoffice, "has_reader", lambda extension: False)


@pytest.mark.parametrize(
    ("name", "package"), [("a.doc", "writer"), ("A.XLS", "calc"), ("a.odp", "impress"), ("a.rtf", "writer")]
)
def test_what_is_missing_is_told_with_what_installs_it(programs, name, package):
    with raises_code("library_missing", "LibreOffice") as caught:
        check_libreoffice(name)
    assert repr(name) in caught.value.message
    for word in ("apt install", f"libreoffice-{package}-nogui", "macOS", "Windows", "save the file as"):
        assert word in caught.value.remedy


def test_a_missing_part_is_told(programs):
    install(programs, "sw")
    check_libreoffice("a.doc")
    with raises_code("library_missing", "calc") as caught:
        check_libreoffice("a.xls")
    assert "libreoffice-calc-nogui" in caught.value.remedy
    install(programs, "sw", "sc", "sd")
    for extension in SAVED_ANEW:
        check_libreoffice(f"a{extension}")


def test_it_is_found_where_it_usually_lies(programs, monkeypatch):
    place = programs / "Some Folder" / "soffice.exe"
    place.parent.mkdir()
    place.write_bytes(b"")
    monkeypatch.setattr(libreoffice, "_USUAL_PLACES", (str(place),))
    check_libreoffice("a.doc")


def test_a_file_fails_and_stops_no_other(programs, convert):
    _, failure = convert("old.doc", b"\xd0\xcf\x11\xe0")
    assert "'old.doc'" in failure["error"]
    assert "LibreOffice" in failure["error"]
    assert "apt install" in failure["remedy"]
    document, _ = convert("a.txt", b"words")
    assert document.content == "words"
