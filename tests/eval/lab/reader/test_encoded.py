"""Pairs of question and passage: the window around the question's words, and where the evidence lies in it."""

import pytest
from tokenizers import Tokenizer

pytest.importorskip("torch", reason="the reader is trained with torch (extra local-models)")

from khub.eval.lab.reader.encoded import batch, encode
from khub.eval.lab.reader.material import Read
from khub.eval.lab.reader.read_window import WINDOW
from khub.eval.lab.reader.rows import BASE

pytestmark = pytest.mark.unit

FILLER = "Nothing of it matters here, and it goes on for a while. " * 60


@pytest.fixture(scope="module")
def tokenizer():
    return Tokenizer.from_file(str(BASE / "tokenizer.json"))


@pytest.mark.parametrize("before", ["", FILLER])
def test_the_evidence_is_in_the_window_and_its_tokens_are_named(tokenizer, before):
    read = Read(f"{before}The warranty ends after 24 months. {FILLER}", True, "24 months")
    pair = encode(tokenizer, "How long is the warranty?", read)
    first, last = pair.span
    assert len(pair.ids) <= WINDOW
    assert first >= pair.question
    assert "24 months" in tokenizer.decode(pair.ids[first : last + 1])


def test_a_passage_that_does_not_answer_has_no_evidence(tokenizer):
    assert encode(tokenizer, "How long?", Read("24 months", False, "24 months")).span is None


def test_pairs_of_a_batch_are_as_long_as_the_longest(tokenizer):
    pairs = [encode(tokenizer, "How long?", Read(text, True, text)) for text in ("Two years.", "It is 24 months long.")]
    made = batch(pairs, [True, True])
    assert made.ids.shape == made.mask.shape == (2, max(len(pair.ids) for pair in pairs))
    assert made.mask.sum().item() == sum(len(pair.ids) for pair in pairs)
    assert [made.first[1].item(), made.last[1].item()] == list(pairs[1].span)
