from decimal import Decimal

import pytest

from khub.components.text.number_words import english_number, han_number, numbers_in_digits, values_of

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("1,200 and 3.5 kg", {"1,200": {1200}, "3.5": {Decimal("3.5")}}),
        ("error E-4012", {"4012": {4012}}),
        ("12 万元, 3 million, 5k, 7 m", {"12": {12, 120_000}, "3": {3, 3_000_000}, "5": {5, 5_000}, "7": {7}}),
        ("2024-03-31", {"2024": {2024}, "03": {3}, "31": {31}}),
        ("no digits", {}),
    ],
)
def test_numbers_in_digits_and_what_they_may_mean(text, numbers):
    assert dict(numbers_in_digits(text)) == numbers


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("六百元", 600),
        ("十五天", 15),
        ("一百二十三", 123),
        ("三千五百万", 35_000_000),
        ("二〇二四年", 2024),
        ("两个", 2),
        ("eleven hours", 11),
        ("Twenty-five", 25),
        ("one hundred and five thousand", 105_000),
        ("three million", 3_000_000),
    ],
)
def test_numbers_in_words(text, value):
    assert value in values_of(text)


def test_number_words_that_stand_apart_are_numbers_of_their_own():
    assert values_of("twenty-five cats and one hundred dogs") == {20, 5, 25, 1, 100}


def test_a_long_row_of_numerals_is_no_number():
    assert values_of("零" * 5000 + "，六百") == {Decimal(600)}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("十", 10),
        ("二十一", 21),
        ("一百零五", 105),
        ("三千二百六", 3206),
        ("两万五千", 25_000),
        ("八十万", 800_000),
        ("一亿", 100_000_000),
        ("二点五", 2.5),
        ("十二点五", 12.5),
        ("二〇二六", 2026),
    ],
)
def test_chinese_numerals(text, value):
    assert han_number(text) == value


@pytest.mark.parametrize(
    ("words", "value"), [("two hundred and five", 205), ("Twenty-five", 25), ("three million", 3_000_000)]
)
def test_english_numerals(words, value):
    assert english_number(words) == value
