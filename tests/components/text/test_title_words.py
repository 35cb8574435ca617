import pytest

from khub.components.text.title_words import title_weight

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    ("title", "weight"),
    [
        (None, 0),
        ("User Manual", 2),
        ("FORM 10-K", 2),
        ("Gutenprint 5.2 · 2016", 1),
        ("用户手册", 2),
        ("CTeX 宏集手册", 3),
        ("はじめに", 2),
    ],
)
def test_words_that_hold_letters_count(title, weight):
    assert title_weight(title) == weight
