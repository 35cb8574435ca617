import pytest

from khub.components.ocr.figure_text import figure_paragraph, figure_text
from tests.components.ocr.scans import line

pytestmark = pytest.mark.unit


def test_words_are_quoted_in_their_own_language() -> None:
    assert figure_paragraph([line("cache hit", 0, 0, 9), line("40 ms", 0, 9, 9)], "") == (
        "> Text in the image: cache hit; 40 ms"
    )
    assert (
        figure_paragraph([line("缓存命中", 0, 0, 9), line("四十毫秒", 0, 9, 9)], "") == "> 图中文字：缓存命中；四十毫秒"
    )


def test_words_that_the_page_says_already_are_not_repeated() -> None:
    lines = [line("Cache-hit", 0, 0, 9), line("cold start path", 0, 9, 9)]
    assert figure_paragraph(lines, "labels: cache hit") == "> Text in the image: cold start path"
    assert figure_paragraph(lines, "cache hit, cold start path") == ""


def test_a_few_letters_are_no_text() -> None:
    assert figure_paragraph([line("a 1", 0, 0, 9), line("—", 0, 9, 9)], "") == ""


def test_all_words_are_kept_with_the_picture() -> None:
    assert figure_text([line("in\n box", 0, 0, 9), line("out", 0, 9, 9)]) == "in box; out"
