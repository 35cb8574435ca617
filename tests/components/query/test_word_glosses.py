from pathlib import Path

import pytest

from khub.components.errors import KhubError
from khub.components.query.word_glosses import SHIPPED, WordGlosses, read_word_glosses

pytestmark = pytest.mark.unit

WORDS = {
    "研究": (90, "research; study"),
    "研究生": (9, "postgraduate"),
    "生命": (60, "life"),
    "生": (20, "raw"),
    "命": (2, ""),
    "的": (500, ""),
    "起源": (5, "origin"),
}


def cut(text: str, words: dict[str, tuple[int, str]] | None = None) -> list[str]:
    return [word.text for word in WordGlosses(words or WORDS, {}).words(text)]


def test_the_likeliest_words_are_taken_and_not_the_longest_first() -> None:
    assert cut("研究生命的起源") == ["研究", "生命", "的", "起源"]
    assert cut("研究生的生命") == ["研究生", "的", "生命"]
    assert cut("研究生命的起源", WORDS | {"研究生": (9000, ""), "命": (9000, "")})[:2] == ["研究生", "命"]


def test_what_stands_between_chinese_words_stays_as_it_is() -> None:
    found = WordGlosses(WORDS, {}).words("研究 GPT-4 的 (2024)")
    assert [(word.text.strip(), word.glosses) for word in found] == [
        ("研究", ("research", "study")),
        ("GPT-4", ()),
        ("的", ()),
        ("(2024)", ()),
    ]


def test_a_character_that_no_word_has_stands_alone_without_a_gloss() -> None:
    found = WordGlosses(WORDS, {}).words("鱻生命")
    assert [(word.text, word.glosses) for word in found] == [("鱻", ()), ("生命", ("life",))]


def test_traditional_characters_are_read_as_simplified_ones() -> None:
    assert [w.text for w in WordGlosses(WORDS, {ord("證"): "证", ord("硏"): "研"}).words("硏究")] == ["研究"]


def test_an_empty_table_or_text_has_no_words() -> None:
    assert WordGlosses({}, {}).words("") == []
    assert [word.text for word in WordGlosses({}, {}).words("生命")] == ["生", "命"]


def test_the_shipped_table_cuts_and_glosses() -> None:
    table = read_word_glosses(SHIPPED)
    assert [word.glosses[0] for word in table.words("長城") if word.glosses] == ["Great Wall"]
    assert [word.text for word in table.words("服务器日志")] == ["服务器", "日志"]


def written(folder: Path, *lines: str) -> Path:
    file = folder / "some words.tsv"
    file.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return file


def test_a_table_of_ones_own_is_asked_with_simplified_characters_too(tmp_path: Path) -> None:
    table = read_word_glosses(written(tmp_path, "国家\tcountry\t3"))
    assert [word.glosses for word in table.words("國家")] == [("country",)]


def test_a_changed_table_is_read_anew(tmp_path: Path) -> None:
    file = written(tmp_path, "国家\tcountry\t3")
    before = read_word_glosses(file)
    assert read_word_glosses(file) is before
    after = read_word_glosses(written(tmp_path, "国家\tstate; nation\t3"))
    assert [word.glosses for word in after.words("国家")] == [("state", "nation")]


@pytest.mark.parametrize("line", ["国家\tcountry", "国家\tcountry\tmany", "国家\tcountry\t-1"])
def test_a_damaged_table_is_named(tmp_path: Path, line: str) -> None:
    with pytest.raises(KhubError, match="damaged"):
        read_word_glosses(written(tmp_path, line))


def test_a_missing_table_is_named_with_the_remedy(tmp_path: Path) -> None:
    with pytest.raises(KhubError, match=r"no table of words .*words\.tsv") as raised:
        read_word_glosses(tmp_path / "words.tsv")
    assert "write one" in raised.value.remedy


def test_a_name_is_found_by_what_words_are_called() -> None:
    words = {
        "慕尼黑": (7, "Munich"),
        "宝洁": (0, "Procter & Gamble; P&G"),
        "苹果": (9, "apple; Apple"),
        "果": (3, "apple"),
    }
    glosses = WordGlosses(words, {})

    assert glosses.called("munich") == [("慕尼黑", 7)]
    assert glosses.called("Procter & Gamble") == [("宝洁", 0)]
    assert glosses.called("Apple") == [("苹果", 9)]
    assert glosses.called("Gamble") == []
