import pytest

from khub.components.ocr.figure_text import figure_paragraph
from khub.components.text.figure_words import without_figure_words
from tests.components.ocr.scans import line

pytestmark = pytest.mark.unit


@pytest.mark.parametrize("words", ["Pump pressure", "缓存命中率很高"])
def test_what_ocr_has_put_into_a_text_is_taken_out(words: str) -> None:
    quoted = figure_paragraph([line(words, 0, 0, 9)], "")
    assert without_figure_words(f"Before.\n\n{quoted}\n\nAfter.") == "Before.\n\nAfter."
    assert without_figure_words(f"Before.\n\n{quoted}") == "Before."
    assert without_figure_words(quoted) == ""


def test_other_quotations_stay() -> None:
    text = "> A quotation.\n\nText in the image: none."
    assert without_figure_words(text) == text


def test_many_words_stand_in_quotations_of_which_each_has_the_label() -> None:
    quoted = figure_paragraph([line(f"button number {number}", 0, 0, 9) for number in range(200)], "")
    parts = quoted.split("\n\n")
    assert len(parts) > 3
    assert max(map(len, parts)) < 700
    assert "button number 199" in quoted
    assert without_figure_words(quoted) == ""
