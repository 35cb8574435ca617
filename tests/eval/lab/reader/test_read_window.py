"""What a reader sees of a question and a passage."""

import pytest
from tokenizers import Tokenizer

from khub.components.embedders.model_folder import SHIPPED
from khub.eval.lab.reader.read_window import HEAD_TOKENS, WINDOW, read_window, window_start

pytestmark = pytest.mark.unit

FILLER = "Nothing of it matters here, and it goes on for a while. " * 60
ANSWER = "The warranty ends after 24 months."


@pytest.fixture(scope="module")
def tokenizer():
    return Tokenizer.from_file(str(SHIPPED / "khub-base" / "tokenizer.json"))


def seen(window, passage):
    """Return the part of a passage that is in a window."""
    held = [offsets for offsets in window.offsets if offsets[1] > offsets[0]]
    return passage[held[0][0] : held[-1][1]]


def test_the_window_holds_most_of_the_question_in_its_middle():
    assert window_start([0, 7, 8, 2], [5, 5, 7, 5, 8, 5, 7, 5], room=3) == 2
    assert window_start([0, 7, 2], [5] * 10 + [7] + [5] * 10, room=5) == 8


def test_a_long_passage_is_read_where_the_questions_words_are(tokenizer):
    passage = FILLER + ANSWER + FILLER
    window = read_window(tokenizer, "How long is the warranty?", passage)
    assert len(window.ids) <= WINDOW
    assert len(window.ids) == window.question + len(window.offsets)
    assert ANSWER in seen(window, passage)


def test_in_another_language_it_is_read_where_the_glosses_words_are(tokenizer):
    passage = FILLER + ANSWER + FILLER
    assert ANSWER not in seen(read_window(tokenizer, "保修期多长？", passage), passage)
    assert ANSWER in seen(read_window(tokenizer, "保修期多长？", passage, sought="warranty months"), passage)


def test_the_head_is_read_whatever_part_of_the_passage_is(tokenizer):
    bare, headed = (read_window(tokenizer, "How long?", FILLER, head=head) for head in ("", "Ember 300 > Warranty"))
    assert len(bare.ids) == len(headed.ids) == WINDOW
    assert "Warranty" in tokenizer.decode(headed.ids)
    long = read_window(tokenizer, "How long?", ANSWER, head=f"{FILLER} > Warranty")
    assert "Warranty" in tokenizer.decode(long.ids)
    assert sum(offsets == (0, 0) for offsets in long.offsets) <= HEAD_TOKENS + 1
    assert ANSWER in seen(long, ANSWER)


@pytest.mark.parametrize(("question", "passage"), [("", ""), ("?", " \n "), ("q" * 3000, "p" * 3000)])
def test_any_text_has_a_window(tokenizer, question, passage):
    window = read_window(tokenizer, question, passage, head=question)
    assert 0 < len(window.ids) <= WINDOW
    assert all(0 <= start <= end <= len(passage) for start, end in window.offsets)
