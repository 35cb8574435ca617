"""Office files from before 2007 are read without LibreOffice."""

import pytest

from khub.components.converters.office import binary_files, libreoffice
from khub.components.converters.office.binary_files import save_as_xml, without_made_titles
from khub.components.converters.office.libreoffice import check_libreoffice
from khub.components.errors import SourceError
from khub.server.library.failure_groups import failure_groups


@pytest.fixture
def without_libreoffice(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(libreoffice, "_USUAL_PLACES", ())


@pytest.mark.unit
def test_a_whole_folder_of_them_has_one_remedy(without_libreoffice, monkeypatch, convert):
    monkeypatch.setattr(libreoffice, "has_reader", lambda extension: False)
    failed = [convert(name, b"\xd0\xcf\x11\xe0")[1] for name in ("a.doc", "b.xls", "c.ppt")]
    (group,) = failure_groups(failed)
    assert binary_files.EXTRA in group.remedy
    assert "LibreOffice" in group.remedy


@pytest.mark.unit
def test_other_formats_need_libreoffice_all_the_same(without_libreoffice):
    with pytest.raises(SourceError) as caught:
        check_libreoffice("a.odt")
    assert binary_files.EXTRA not in caught.value.remedy


@pytest.mark.unit
def test_what_cannot_be_read_is_told():
    pytest.importorskip("office_oxide")
    with pytest.raises(SourceError, match="'a\\.doc' cannot be read") as caught:
        save_as_xml(b"\xd0\xcf\x11\xe0" + bytes(2000), "a.doc", ".doc")
    assert "save it as .docx" in caught.value.remedy


@pytest.mark.unit
def test_made_titles_go_and_real_ones_stay():
    pages = ["# Slide 1\n\ntext", "# Plan\n\ntext", "# Slide 2\n\ntext", "# Slide 4"]
    assert without_made_titles(pages) == ["text", "# Plan\n\ntext", "# Slide 2\n\ntext", ""]


@pytest.mark.integration
@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("legacy_sample.doc", ["#", "| "]),
        ("lorem-ipsum.doc", ["Lorem ipsum dolor sit amet"]),
        ("MonteCarlo.xls", ["## ", "| --- |"]),
    ],
)
def test_real_files(without_libreoffice, convert, test_data, name, words):
    pytest.importorskip("office_oxide")
    path = test_data / "office" / name
    if not path.is_file():
        pytest.skip(f"no file {name!r} in {path.parent}")
    document, _ = convert(name, path.read_bytes())
    assert all(word in document.content for word in words)
