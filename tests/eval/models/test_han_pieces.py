"""Which Chinese pieces the base model reads."""

import pytest

from eval.models.corpus import Corpus, Pair
from eval.models.han_pieces import choose_pieces

pytestmark = pytest.mark.unit


def pieces_of(text, words, count=20, folding=None):
    names = [Pair("meaning", word, "written") for word in words]
    tokenizer = choose_pieces(Corpus([Pair("", text, "docs")], [], names, []), folding or {}, count)
    return tokenizer, tokenizer.encode(text).tokens


def test_words_are_pieces_and_frequent_parts_of_sentences_are_not():
    tokenizer, tokens = pieces_of("在机场，在机场，在机场", ["机场"])
    assert tokens == ["在", "机场", "在", "机场", "在", "机场"]
    assert tokenizer.token_to_id("在机") is None


def test_the_most_frequent_words_are_kept():
    text = "文件文件文件机场机场飞机"
    characters = "文件机场飞"
    _, tokens = pieces_of(text, ["文件", "机场", "飞机"], count=len(characters) + 1 + 2)
    assert set(tokens) - {"飞", "机"} == {"文件", "机场"}


def test_long_words_and_towns_are_no_pieces():
    names = [Pair("Marxism", "马克思主义", "written"), Pair("Old Town", "机场", "geonames")]
    corpus = Corpus([Pair("", "马克思主义机场马克思主义机场", "docs")], [], names, [])
    assert set(choose_pieces(corpus, {}, 50).get_vocab()) == {"<unk>", *"马克思主义机场"}


def test_pieces_are_folded():
    assert pieces_of("机场机场", ["機場"], folding=str.maketrans("機場", "机场"))[1] == ["机场", "机场"]
