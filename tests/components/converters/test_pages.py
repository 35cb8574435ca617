import pytest

from khub.components.converters.pages import clean_text, join_pages

pytestmark = pytest.mark.unit


def test_pages_begin_where_the_offsets_say():
    text, starts = join_pages(["first", "second\npage", "third"])
    assert text == "first\n\nsecond\npage\n\nthird"
    assert [text[start:][:5] for start in starts] == ["first", "secon", "third"]


def test_an_empty_page_begins_where_the_next_text_does():
    text, starts = join_pages(["", "a", "", "", "b", ""])
    assert text == "a\n\nb"
    assert starts == [0, 0, 3, 3, 3, 4]


def test_no_text_at_all():
    assert join_pages(["", ""]) == ("", [0, 0])


@pytest.mark.parametrize(
    ("given", "cleaned"),
    [
        ("a\r\nb\rc", "a\nb\nc"),
        ("alter\ufffe\r\nnative", "alternative"),
        ("soft\u00adhyphen", "softhyphen"),
        ("control\x00\x07 character", "control character"),
        ("e\u0301", "é"),
        ("ﬁne ⽂字", "fine 文字"),
        ("H₂O ① ２", "H₂O ① ２"),
        ("  a  \n\n\n\n b \t\n", "a\n\n b"),
        ("vertical\x0btab", "vertical tab"),
        ("lone \ud800 surrogate", "lone  surrogate"),
    ],
)
def test_clean_text(given, cleaned):
    assert clean_text(given) == cleaned
