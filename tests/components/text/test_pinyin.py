"""Chinese characters by how they are read."""

import pytest

from khub.components.text.pinyin import characters, surnames, syllables

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    ("word", "cut"),
    [
        ("Xiaoming", ("xiao", "ming")),
        ("XIAN", ("xi", "an")),
        ("XIAN", ("xian",)),
        ("Xi'an", ("xi", "an")),
        ("alibaba", ("a", "li", "ba", "ba")),
        ("Lü", ("lü",)),
    ],
)
def test_a_word_is_cut_in_every_way_that_it_can_be_read(word: str, cut: tuple[str, ...]) -> None:
    assert cut in syllables(word)


@pytest.mark.parametrize(
    "word", ["Smith", "Beckett", "Zhangx", "", "'", "张", "Nguyen", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"]
)
def test_other_words_are_not_read(word: str) -> None:
    assert syllables(word) == []


@pytest.mark.parametrize(
    ("syllable", "character"),
    [
        ("zhang", "张"),
        ("zhang", "張"),
        ("zeng", "曾"),
        ("ceng", "曾"),
        ("lü", "吕"),
        ("lv", "吕"),
        ("lyu", "吕"),
        ("lu", "吕"),
    ],
)
def test_a_syllable_has_all_its_characters(syllable: str, character: str) -> None:
    assert character in characters(syllable)


def test_only_family_names_are_family_names() -> None:
    assert "王" in surnames("wang")
    assert "往" not in surnames("wang")
    assert surnames("xiao")
    assert not surnames("de")


def test_a_rare_reading_counts_for_a_family_name_alone() -> None:
    assert "单" in surnames("shan")
    assert "解" in surnames("xie")
    assert "单" not in characters("shan")
    assert "任" not in characters("lin")
