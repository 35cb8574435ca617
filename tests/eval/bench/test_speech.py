import pytest

pytest.importorskip("av", reason="the extra [speech]")

from khub.eval.bench.aligned_words import aligned
from khub.eval.bench.speech import tokens

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    ("said", "heard", "errors"),
    [("a b c", "a b c", 0), ("a b c", "a x c", 1), ("a b c", "a c", 1), ("a b c", "a b y c", 1), ("a b", "", 2)],
)
def test_errors_are_counted(said, heard, errors):
    assert aligned(said.split(), heard.split())[0] == errors


def test_equal_words_are_paired_in_order_although_they_are_repeated():
    said = ["go", "left", "go", "right"] * 300
    heard = [*said[:200], "well", *said[200:]]
    errors, pairs = aligned(said, heard)
    assert errors == 1
    assert pairs[:200] == [(number, number) for number in range(200)]
    assert pairs[200:] == [(number, number + 1) for number in range(200, 1200)]


def test_words_and_characters_are_told_apart():
    assert tokens("It's 3 o'clock，水泵！") == ["it's", "3", "o'clock", "水", "泵"]
