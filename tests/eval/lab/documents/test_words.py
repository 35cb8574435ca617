import pytest

from khub.eval.lab.documents.words import missing_words, words

pytestmark = pytest.mark.unit


def test_words_are_letters_digits_and_single_han():
    assert words("データ は") == ["デ", "ー", "タ", "は"]
    assert words("E-4012: 营业 收入 12,5 ﬁle_x") == ["E", "4012", "营", "业", "收", "入", "12", "5", "file", "x"]


def test_order_does_not_matter_but_repetition_does():
    count, missing = missing_words("one two two three", "two three one")
    assert count == 4
    assert missing == {"two": 1}


@pytest.mark.parametrize(
    "broken", ["recon-\r\nfigure", "recon\u0002figure", "recon\ufffe\nfigure", "recon\u2010\nfigure"]
)
def test_a_broken_word_may_stand_joined_or_apart(broken):
    text = f"we {broken} it"
    assert not missing_words(text, "we reconfigure it")[1]
    assert not missing_words(text, "we recon figure it")[1]
    assert missing_words(text, "we it")[1] == {"recon": 1, "figure": 1}


def test_one_joined_word_covers_one_broken_one():
    assert missing_words("a-\nb a-\nb", "ab")[1] == {"a": 1, "b": 1}


def test_the_joined_word_itself_is_not_counted_twice():
    assert missing_words("ab a-\nb", "ab")[1] == {"a": 1, "b": 1}
