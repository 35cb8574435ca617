"""Which pairs of characters get a row of the static model, and where a trained model's rows go."""

import numpy as np
import pytest

from eval.lab.models.corpus import Corpus, Pair, Passage
from eval.lab.models.static_vocabulary import StaticVocabulary, choose_ngrams, moved_rows, renewed_vocabulary

pytestmark = pytest.mark.unit

NO_FOLDING = np.empty((0, 2), dtype=np.uint32)
FOLDING = np.array([[ord("機"), ord("机")]], dtype=np.uint32)


def as_text(rows):
    return ["".join(map(chr, np.atleast_1d(row))) for row in rows]


def vocabulary(characters, bigrams, folding=NO_FOLDING):
    codes = np.array([ord(character) for character in characters], dtype=np.uint32)
    pairs = np.array([[ord(a), ord(b)] for a, b in bigrams], dtype=np.uint32).reshape(-1, 2)
    return StaticVocabulary('{"model": {"vocab": {"a": 0, "b": 1}}}', [], codes, pairs, folding)


def test_the_most_frequent_pairs_are_chosen():
    characters, pairs = choose_ngrams(["中文中文文件", "中文"], NO_FOLDING, 2)
    assert as_text(characters) == ["文", "中"]
    assert as_text(pairs) == ["中文", "文中"]


def test_a_pair_inside_a_word_goes_before_one_across_words():
    texts = ["飞机在机场", "在机场"]
    assert as_text(choose_ngrams(texts, NO_FOLDING, 1)[1]) == ["在机"]
    assert as_text(choose_ngrams(texts, NO_FOLDING, 2, ["机场", "飞机"])[1]) == ["机场", "飞机"]


def test_traditional_characters_count_as_simplified_ones():
    assert as_text(choose_ngrams(["机场"], FOLDING, 1, ["機场"])[1]) == ["机场"]


def test_small_towns_are_no_words():
    names = [Pair("airport", "机场", "written"), Pair("Old Town", "在机", "geonames")]
    trained = Corpus([Pair("", "飞机在机场在机场", "docs")], [], names, [Passage(["在机"], 0)])
    assert as_text(renewed_vocabulary(vocabulary("机", []), trained, 1).bigrams) == ["机场"]


def test_rows_follow_their_tokens_into_another_vocabulary():
    known, renewed = vocabulary("文件", ["文件"]), vocabulary("件文书", ["书文", "文件"])
    rows = np.arange(5, dtype=np.float32)[:, None] + 1  # two pieces, 文, 件, 文件
    assert moved_rows(rows, known, renewed)[:, 0].tolist() == [1, 2, 4, 3, 0, 0, 5]
