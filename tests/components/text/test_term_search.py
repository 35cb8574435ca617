"""The terms of a text are those that `tokenize` gives, however they are found."""

import json
import random

import pytest

from khub.components.embedders.model_folder import SHIPPED
from khub.components.text.english_stem import stem
from khub.components.text.term_search import TermSearch
from khub.components.text.tokenizer import tokenize, word_runs

pytestmark = pytest.mark.unit
PARTS = [
    *("charging", "Charged", "don't", "don’t", "it’s'x", "v2.13.0", "1,200", "getUserName", "os.path", "C++", "50%"),
    *("2024年1月5日", "2024 年 3 月", "充电", "桩", "水", "年", "ア", "アイ", "한국", "９", "ﾊ", "℃"),
    *("①", "％", "ﬁ", "é", "e\u0301", "\u0301", "naïve", "x" * 120, "a_b", "[IMAGE: a_1_2]", "# ", "3. "),
    *("”", "。", "；", "！", ". ", "! ", "\n", "\n\n", " ", "  ", "，", "、", "·"),
]


def texts(number: int) -> list[tuple[str, set[str]]]:
    """Random texts, and terms to look for in each."""
    generator = random.Random(5)
    found = []
    for _ in range(number):
        text, other = ("".join(generator.choices(PARTS, k=generator.randrange(20))) for _ in range(2))
        known = sorted({*tokenize(text), *tokenize(other)})
        found.append((text, set(generator.sample(known, min(len(known), generator.randrange(8))))))
    return found


def test_terms_are_those_of_the_tokenizer():
    for text, terms in texts(2000):
        assert TermSearch(terms).held(text) == terms & set(tokenize(text)), (text, terms)


@pytest.mark.parametrize(
    ("text", "term"),
    [
        ("We charged it.", "charg"),
        ("为什么充电桩不工作", "充电"),
        ("签于2024年1月5日。", "2024-01-05"),
        ("call getUserName()", "user"),
        ("it doesn’t", "doesn't"),
        ("Ａ３ paper", "a3"),
        ("C++", "c++"),
    ],
)
def test_each_kind_of_term_is_found(text: str, term: str):
    assert term in tokenize(text)
    assert TermSearch({term, "absent"}).held(text) == {term}


def test_no_terms_and_no_text():
    assert TermSearch([]).held("a text") == set()
    assert TermSearch(["text"]).held("") == set()


def test_a_stem_begins_as_its_word_does():
    vocabulary = json.loads((SHIPPED / "khub-fast" / "tokenizer.json").read_text(encoding="utf-8"))["model"]["vocab"]
    words = [word for word in vocabulary if word.isascii() and word.isalpha()]
    assert len(words) > 10_000
    assert [word for word in words if stem(word.lower())[0] != word[0].lower()] == []


def test_words_of_small_letters_are_left_out_by_their_first_one():
    text = "charge beta Charger, 中a中文 水 übel x86 alpha."
    assert word_runs(text, {"c"}) == {"charge", "Charger", "a", "水", "übel", "x86", "alpha", "中"}
    assert word_runs(text, {"b"}) == {"beta", "Charger", "a", "水", "übel", "x86", "alpha", "中"}
