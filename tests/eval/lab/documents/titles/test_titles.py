"""What counts as a usable title, and how it is counted."""

import pytest

from eval.lab.documents.titles import is_usable, measure, read_judged, shares
from tests.components.converters.files import write_pages


@pytest.mark.unit
@pytest.mark.parametrize(
    ("title", "usable"),
    [
        ("COSTCO Wholesale · FORM 10-K", True),
        ("Costco annual report", True),
        ("Costco 10K", True),
        ("FORM 10-K", False),
        ("Costco", False),
        ("Costco 10-K " + "x" * 200, False),
    ],
)
def test_a_title_is_usable_with_all_words_of_an_alternative(title, usable):
    assert is_usable(title, [["costco", "10-k"], ["costco", "annual report"]]) is usable


@pytest.mark.unit
def test_every_row_says_what_is_usable():
    judged = read_judged()
    assert len(judged) == 60
    assert all(words and all(map(str.strip, words)) for each in judged.values() for words in each)


@pytest.mark.integration
@pytest.mark.usefixtures("converted_here")
def test_titles_of_a_folder(tmp_path):
    (tmp_path / "a.pdf").write_bytes(write_pages(["Herons wade"], title="Herons wade"))
    (tmp_path / "herons_2020.pdf").write_bytes(write_pages(["One line that ends as a sentence does."]))
    (tmp_path / "other.pdf").write_bytes(write_pages(["Storks"], title="Storks"))
    (tmp_path / "beside").mkdir()
    rows = measure(
        [tmp_path / "beside" / ".."],
        {"a.pdf": [["egrets"]], "herons_2020.pdf": [["herons 2020"]], "absent.pdf": [["x"]]},
    )
    assert [(row["file"], row["title"], row["usable"]) for row in rows] == [
        ("a.pdf", "Herons wade", False),
        ("herons_2020.pdf", "herons_2020", True),
    ]
    assert shares(rows) == [
        {"half": "chose", "files": 1, "usable": 0, "share": 0.0},
        {"half": "measured", "files": 1, "usable": 1, "share": 1.0},
        {"half": "all", "files": 2, "usable": 1, "share": 0.5},
    ]
