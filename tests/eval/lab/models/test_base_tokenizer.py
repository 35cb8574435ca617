"""A tokenizer of kept pieces is read again as it was made, and tells what it does to a text."""

import pytest

from khub.eval.lab.models.base_tokenizer import SPECIAL, kept_pieces, make_tokenizer

pytestmark = pytest.mark.unit
PIECES = [(piece, -3.0 - place / 9) for place, piece in enumerate([*SPECIAL, "▁", "▁the", "▁heron", "苍鹭", "的"])]


def test_what_was_made_is_read_again(tmp_path):
    file = tmp_path / "tokenizer.json"
    make_tokenizer(PIECES).save(str(file))
    assert kept_pieces(file) == [piece for piece, _ in PIECES]


def test_a_text_stands_between_its_special_tokens():
    assert make_tokenizer(PIECES).encode("the 苍鹭").tokens == ["<s>", "▁the", "▁", "苍鹭", "</s>"]
