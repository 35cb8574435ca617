import json
from pathlib import Path

import pytest

from components.errors import KhubError
from components.query.word_glosses import WordGlosses, read_word_glosses

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
    table = read_word_glosses("khub-base")
    assert [word.glosses[0] for word in table.words("長城") if word.glosses] == ["Great Wall"]
    assert [word.text for word in table.words("服务器日志")] == ["服务器", "日志"]


def folder(path: Path, *lines: str) -> str:
    (path / "words.tsv").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return str(path)


def test_the_folding_of_the_model_is_taken(tmp_path: Path) -> None:
    settings = {"folding": {"from": "國", "to": "国"}}
    (tmp_path / "config.json").write_text(json.dumps(settings), encoding="utf-8")
    table = read_word_glosses(folder(tmp_path, "国家\tcountry\t3"))
    assert [word.glosses for word in table.words("國家")] == [("country",)]


def test_a_damaged_folding_is_named(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text('{"folding": {"from": "國", "to": ""}}', encoding="utf-8")
    with pytest.raises(KhubError, match=r"config\.json.*damaged"):
        read_word_glosses(folder(tmp_path, "国家\tcountry\t3"))


def test_a_changed_table_is_read_anew(tmp_path: Path) -> None:
    before = read_word_glosses(folder(tmp_path, "国家\tcountry\t3"))
    assert read_word_glosses(str(tmp_path)) is before
    after = read_word_glosses(folder(tmp_path, "国家\tstate; nation\t3"))
    assert [word.glosses for word in after.words("国家")] == [("state", "nation")]


@pytest.mark.parametrize("line", ["国家\tcountry", "国家\tcountry\tmany", "国家\tcountry\t-1"])
def test_a_damaged_table_is_named(tmp_path: Path, line: str) -> None:
    with pytest.raises(KhubError, match="damaged"):
        read_word_glosses(folder(tmp_path, line))


def test_a_model_without_a_table_is_named_with_the_remedy() -> None:
    with pytest.raises(KhubError, match=r"'khub-fast' has no words\.tsv") as raised:
        read_word_glosses("khub-fast")
    assert "khub-base" in raised.value.remedy
