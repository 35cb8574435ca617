"""Pages whose fonts do not say what their shapes mean, and pages that only look so."""

import random

import pytest

pytestmark = pytest.mark.unit

SENTENCE = "Herons wade slowly in the shallow water and wait for trout."


def symbols(count, letters="!\"#$%&'*+,-/:;<=>?@^`{|}~"):
    chosen = random.Random(7)
    return " ".join("".join(chosen.choices(letters, k=5)) for _ in range(count))


def page_of(new_page, *lines):
    page = new_page()
    for number, line in enumerate(lines):
        page.text(72, 720 - 14 * number, line)
    return page


@pytest.mark.parametrize(
    "garbled",
    [symbols(60), symbols(60, "\xc3\xb1\xae\xb6\xa4\xb0#()+:xz"), "x1 " + symbols(20) + " and y2"],
    ids=["punctuation", "latin-1", "letters among it"],
)
def test_symbols_without_words_are_no_text(new_page, read, garbled):
    text = read(
        [page_of(new_page, SENTENCE, SENTENCE), page_of(new_page, garbled[:90], garbled[90:180], garbled[180:])]
    )
    assert (text.needs_ocr, text.garbled) == ([2], [2])
    assert text.pages[1] == ""
    assert text.removed["garbled words"] >= len(garbled.split())


@pytest.mark.parametrize(
    "lines",
    [
        [SENTENCE, symbols(3)],
        [f"{number} Chapter {'. ' * 40}{number * 7}" for number in range(1, 12)],
        [" ".join(f"{number * 1.37:,.2f}" for number in range(row, row + 8)) for row in range(1, 90, 8)],
        ["A B C D E F G H I J K L M N O P Q R S T U V W X Y Z"] * 4,
        ["V\xe9ritable \xe9t\xe9 \xe0 No\xebl, d\xe9j\xe0 pr\xeat, h\xf4tel, for\xeat, na\xefve, fa\xe7ade"] * 3,
        ["* * * * *", "- - - - -", symbols(8)],
    ],
    ids=["a formula among words", "contents", "numbers", "letters", "accents", "little"],
)
def test_what_has_words_or_numbers_or_little_of_anything_is_text(new_page, read, lines):
    text = read([page_of(new_page, *lines)])
    assert (text.needs_ocr, text.garbled) == ([], [])


def test_chinese_is_text(new_page, read):
    page = new_page()
    for number in range(6):
        page.chinese(72, 700 - 20 * number, "酒店每晚上限为六百元，超出部分自付。")
    assert read([page]).garbled == []
