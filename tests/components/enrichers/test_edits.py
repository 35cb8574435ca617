import pytest

from components.enrichers.edits import Edit, apply_edits

pytestmark = pytest.mark.unit


def test_edits_are_made_in_whatever_order_they_come() -> None:
    assert apply_edits("one two three four", [Edit(8, 13, "3"), Edit(0, 4)]) == "two 3 four"


def test_of_two_edits_that_overlap_the_first_holds() -> None:
    assert apply_edits("abcdef", [Edit(2, 5, "2"), Edit(1, 3, "1")]) == "a1def"
