"""Terms as words that the analyzer of any search engine leaves whole."""

import re

import pytest

from khub.components.text.plain_words import plain_word, plain_words

pytestmark = pytest.mark.unit

TERMS = ["laser", "2024", "婚假", "e-4013", "5.0", "x5a5a", "xml", "🚀", "婚", "über", "c++", "\x1flanguage:zh"]


def test_each_is_one_word_of_ascii():
    assert all(re.fullmatch("[a-z0-9]+", plain_word(term)) for term in TERMS)
    assert plain_word("laser") == "laser"
    assert plain_word("婚假") == "x5a5ax5047"


def test_different_terms_are_different_words():
    words = [plain_word(term) for term in (*TERMS, *map(plain_word, TERMS))]
    assert len(set(words)) == len({*TERMS, *map(plain_word, TERMS)})


def test_a_text_keeps_their_order_and_repeats():
    assert plain_words(["b", "a", "b"]) == "b a b"
