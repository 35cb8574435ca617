import time
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from khub.components.text.tokenizer import MAX_TOKEN_LENGTH, tokenize

pytestmark = pytest.mark.unit

WORDS = st.sampled_from(
    ["getUserName", "os.path.join", "v2.13.0", "1.5GB", "12.5%", "don't", "C++", "state-of-the-art", "2024-01-15", "x"]
) | st.text(st.characters(codec="utf-8", exclude_categories=["Z", "Cc", "Cs"]), min_size=1, max_size=8)
HAN_TEXT = st.text(st.characters(min_codepoint=0x4E00, max_codepoint=0x9FFF), min_size=2, max_size=40)


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", []),
        (" \n\t。！", []),
        ("The Quick fox", ["the", "quick", "fox"]),
        ("战国无双", ["战国", "国无", "无双"]),
        ("猫", ["猫"]),
        ("RRF 是什么", ["rrf", "是什", "什么"]),
        ("用C#写", ["用", "c#", "写"]),
        ("食べる", ["食", "べる"]),
        ("대한민국", ["대한", "한민", "민국"]),
        ("getUserName", ["getusername", "get", "user", "name"]),
        ("XMLHttpRequest", ["xmlhttprequest", "xml", "http", "request"]),
        ("os.path.join", ["os.path.join", "os", "path", "join"]),
        ("get_user_name", ["get_user_name", "get", "user", "name"]),
        ("kebab-case", ["kebab-case", "kebab", "case"]),
        ("__init__", ["init"]),
        ("800ms", ["800ms", "800", "ms"]),
        ("1.5GB", ["1.5gb", "1.5", "1", "gb"]),
        ("5m", ["5m", "5", "m"]),
        ("v2.13.0", ["v2.13.0", "2.13.0", "2.13", "2"]),
        ("3.11.7", ["3.11.7", "3.11", "3"]),
        ("12.5%", ["12.5%", "12.5", "12"]),
        ("1,234,567", ["1,234,567", "1234567"]),
        ("2024-01-15", ["2024-01-15", "2024-01", "2024"]),
        ("2024/1/5", ["2024/1/5", "2024-01-05", "2024-01", "2024"]),
        ("2010-2015", ["2010-2015", "2010", "2015"]),
        ("2024年1月5日", ["2024", "年", "1", "月", "5", "日", "2024-01-05", "2024-01"]),
        ("2024 年 1 月", ["2024", "年", "1", "月", "2024-01"]),
        ("don't O’Brien", ["don't", "don", "o'brien", "brien"]),
        ("C++", ["c++"]),
        ("U.S.A.", ["u.s.a", "usa"]),
        ("ＲＲＦ ﬁne ½", ["rrf", "fine", "1", "2"]),
        ("Größe naïve привет", ["größe", "naïve", "привет"]),
        ("cafe\u0301 हिन्दी ภาษาไทย", ["café", "हिन्दी", "ภาษาไทย"]),
    ],
)
def test_tokens(text, tokens):
    assert tokenize(text) == tokens


@pytest.mark.parametrize("text", ["a" * 500, "A1." * 500, "1." * 500, "日" + "ab_" * 500, "İ" * 99])
def test_tokens_are_bounded(text):
    tokens = tokenize(text)
    assert tokens
    assert max(map(len, tokens)) <= MAX_TOKEN_LENGTH


@given(st.text())
def test_tokens_survive_a_whitespace_tokenizer(text):
    tokens = tokenize(text)
    assert " ".join(tokens).split() == tokens
    assert all(len(token) <= MAX_TOKEN_LENGTH for token in tokens)


@given(st.lists(WORDS, min_size=1, max_size=12), st.data())
def test_a_phrase_cut_at_words_has_only_tokens_of_its_document(words, data):
    first = data.draw(st.integers(0, len(words) - 1))
    last = data.draw(st.integers(first + 1, len(words)))
    assert not Counter(tokenize(" ".join(words[first:last]))) - Counter(tokenize(" ".join(words)))


@given(HAN_TEXT, st.data())
def test_a_phrase_cut_within_han_is_a_sequence_of_its_document(text, data):
    first = data.draw(st.integers(0, len(text) - 2))
    last = data.draw(st.integers(first + 2, len(text)))
    tokens, phrase = tokenize(text), tokenize(text[first:last])
    assert tokens[first : first + len(phrase)] == phrase


@given(st.text(st.characters(codec="utf-8", categories=["L", "M", "N"])))
@settings(max_examples=200)
def test_case_and_width_do_not_matter(text):
    assert tokenize("Ａb１ " + text) == ["ab1", "ab", "1", *tokenize(text)]


@pytest.mark.parametrize("unit", ["a", "字", "aB1.", "'", "1,"])
def test_time_is_linear(unit):
    def seconds(length):
        text = unit * (length // len(unit))
        start = time.perf_counter()
        tokenize(text)
        return time.perf_counter() - start

    assert seconds(200_000) < 400 * max(seconds(5_000), 0.001)
