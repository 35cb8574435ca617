import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from khub.components.splitters.text_length import TextLength

pytestmark = pytest.mark.unit


def test_wide_characters_count_as_told():
    length = TextLength("ab鹭かé한，", 1.6)
    assert length.of(0, 2) == 2
    assert length.of(2, 4) == 3.2
    assert length.of(0, 7) == 2 + 3 * 1.6 + 2
    assert TextLength("ab鹭", 1.0).of(0, 3) == 3


def test_reach_is_the_last_character_that_fits():
    length = TextLength("a鹭鹭b", 2.0)
    assert [length.reach(0, size) for size in (0, 1, 2, 3, 5, 6, 60)] == [0, 1, 1, 2, 3, 4, 4]
    assert [length.reach_back(4, size) for size in (0, 1, 2, 3, 5, 6, 60)] == [4, 3, 3, 2, 1, 0, 0]


@settings(max_examples=60, deadline=None)
@given(st.text("ab鹭か 。..", max_size=40), st.sampled_from([1.0, 1.37, 1.6, 2.0]), st.integers(1, 30), st.data())
def test_reach_and_length_agree(text, wide, size, data):
    length = TextLength(text, wide)
    start = data.draw(st.integers(0, len(text)))
    end = length.reach(start, size)
    assert length.of(start, end) <= size
    assert end == len(text) or length.of(start, end + 1) > size
    begin = length.reach_back(end, size)
    assert length.of(begin, end) <= size
    assert begin == 0 or length.of(begin - 1, end) > size


def test_leaders_count_next_to_nothing():
    text = f"Total{'.' * 100}12"
    assert 10 <= TextLength(text).of(0, len(text)) <= 15
    assert TextLength("a... b").of(0, 6) == 6
    assert TextLength("." * 1_000_000).of(0, 1_000_000) > 10_000
