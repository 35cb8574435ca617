"""What two readers find in the same office files is counted alike."""

import pytest

from khub.eval.lab.documents.readers import measure
from tests.conftest import ROOT

pytestmark = pytest.mark.unit

TEXT = "# A\n\n- one\n- two\n\n| a | b |\n| --- | --- |\n| 1 | 2 |\n\nHerons"


def reader(text, pictures=0, removed=0):
    return lambda file: (text, pictures, removed)


def fails(file):
    raise ValueError(file)


def test_what_is_found_is_counted(tmp_path):
    page = "<body><nav>Home</nav><h1>A</h1><p>one two a b 1 2 Herons wade</p></body>"
    (tmp_path / "a.html").write_text(page, encoding="utf-8")
    found = measure([tmp_path / "a.html"], {"x": reader(TEXT, 3), "y": reader(TEXT + " Home", 0, 1), "z": fails})
    assert [row["reader"] for row in found] == ["x", "y", "z"]
    counts = [found[0][name] for name in ("failed", "headings", "tables", "list items", "pictures", "words")]
    assert counts == [0, 1, 1, 2, 3, 9]
    assert [row["found"] for row in found[:2]] == [pytest.approx(8 / 9, abs=1e-4), 1.0]
    assert [row["of menus"] for row in found[:2]] == [0, 1]
    assert found[2]["failed"] == 1


def test_the_words_of_a_word_file_are_known():
    (file,) = (ROOT / "eval/samples").glob("*.docx")
    (row,) = measure([file], {"nothing": reader("")})
    assert row["words"] > 500
    assert row["found"] == 0
