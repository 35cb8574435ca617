"""What the rows of a static model stand for."""

import numpy as np
import pytest

from khub.eval.lab.models.static_vocabulary import StaticTokenizer, StaticVocabulary

pytestmark = pytest.mark.unit

TOKENIZER = """{"model": {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
 "max_input_chars_per_word": 9, "vocab": {"[UNK]": 0, "a": 1, "##b": 2}}, "pre_tokenizer": {"type": "Whitespace"}}"""


def vocabulary() -> StaticVocabulary:
    characters = np.array([ord("文"), ord("件")], dtype=np.uint32)
    pairs = np.array([[ord("文"), ord("件")]], dtype=np.uint32)
    return StaticVocabulary(TOKENIZER, characters, pairs, np.empty((0, 2), dtype=np.uint32))


def test_each_row_has_the_text_of_its_token() -> None:
    assert vocabulary().tokens == (["[UNK]", "a", "b"], ["文", "件"], ["文件"])


def test_a_text_becomes_the_rows_of_its_tokens_without_the_unknown_one() -> None:
    lists = vocabulary().tokens
    texts = [token for tokens in lists for token in tokens]
    (rows,) = StaticTokenizer(vocabulary()).encode(["ab z 文件"])
    assert sorted(texts[row] for row in rows) == ["a", "b", "件", "文", "文件"]
