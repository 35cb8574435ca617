import pytest
from hypothesis import given
from hypothesis import strategies as st

from components.enrichers.edits import Edit, apply_edits

pytestmark = pytest.mark.unit


def test_offsets_go_with_the_text() -> None:
    text = "one two three four"
    new, moved = apply_edits(text, [Edit(8, 13, "3"), Edit(0, 4)])
    assert new == "two 3 four"
    assert [moved(text.index(word)) for word in ("two", "three", "four")] == [0, 4, 6]
    assert moved(len(text)) == len(new)


def test_an_offset_inside_a_replaced_part_goes_behind_it() -> None:
    new, moved = apply_edits("abcdef", [Edit(1, 5, "XY")])
    assert new == "aXYf"
    assert (moved(1), moved(3), moved(5)) == (1, 3, 3)


def test_of_two_edits_that_overlap_the_first_holds() -> None:
    assert apply_edits("abcdef", [Edit(2, 5, "2"), Edit(1, 3, "1")])[0] == "a1def"


@given(
    st.text("abc", max_size=30), st.lists(st.tuples(st.integers(0, 30), st.integers(0, 5), st.text("x", max_size=3)))
)
def test_what_is_not_edited_stands_at_its_moved_place(text: str, spans: list[tuple[int, int, str]]) -> None:
    edits = [Edit(start, start + length, new) for start, length, new in spans if start + length <= len(text)]
    result, moved = apply_edits(text, edits)
    places = [moved(offset) for offset in range(len(text) + 1)]
    assert places == sorted(places)
    assert places[-1] == len(result)
    touched = {at for edit in edits for at in range(edit.start, edit.end)}
    assert all(result[places[at]] == text[at] for at in range(len(text)) if at not in touched)
