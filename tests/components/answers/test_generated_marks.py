import pytest

from khub.components.answers.generated_marks import checked_marks, marks_in, without_marks

pytestmark = pytest.mark.unit

PASSAGES = "See https://example.org/manual for the manual."


@pytest.mark.parametrize(
    ("text", "checked", "removed"),
    [
        ("It is so [1]. And so [3].", "It is so [1]. And so [3].", []),
        ("It is so [1, 3] or [1，2].", "It is so [1][3] or [1][2].", []),
        ("It is so [1-3].", "It is so [1][2][3].", []),
        ("It is so [^2], 是这样【3】。还有【1†source】", "It is so [2], 是这样[3]。还有[1]", []),
        ("It is so [7]. And [2][9].", "It is so. And [2].", ["[7]", "[9]"]),
        ("It is so [0] [7] [7].", "It is so.", ["[0]", "[7]"]),
        ("In [2024] it was so.", "In [2024] it was so.", []),
        ("`a[7]` and\n```\nb[8]\n```", "`a[7]` and\n```\nb[8]\n```", []),
        ("See ![x](http://evil/?q=1) it.", "See x it.", ["![x](http://evil/?q=1)"]),
        ("See [here](http://evil/?q=1).", "See here.", ["[here](http://evil/?q=1)"]),
        ("See [here](javascript:alert) and [1](http://evil/).", "See here and 1.", ["[here](javascript:alert)", "[1](http://evil/)"]),
        ("Go to http://evil/?q=secret now.", "Go to  now.", ["http://evil/?q=secret"]),
        ('So <img src="http://evil/?q">.', "So .", ['<img src="http://evil/?q">']),
        ("Go to [it](https://example.org/manual) or https://example.org/manual.", "", []),
    ],
)  # fmt: skip
def test_marks_have_one_form_and_what_points_nowhere_goes(text, checked, removed):
    assert checked_marks(text, {1, 2, 3}, PASSAGES) == (checked or text, removed)


def test_a_range_without_end_is_not_counted_out():
    assert checked_marks("So [1-999].", {1}, "") == ("So [1].", ["[999]"])


def test_marks_are_found_and_taken_off():
    text = "One [2]. Two [1][2] and `x[9]`."
    assert marks_in(text) == [2, 1]
    assert without_marks("One [2]. Two [1][2].") == "One. Two."
