import pytest

from khub.server.questions.rank_overlap import overlap_at, rank_biased_overlap

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    ("first", "second", "k", "share"),
    [("abcd", "badc", 2, 1.0), ("abcd", "acbd", 2, 0.5), ("ab", "cd", 10, 0.0), ("ab", "ab", 10, 1.0),
     ("abc", "a", 10, 1 / 3), ("", "", 5, 1.0), ("a", "", 5, 0.0)],
)  # fmt: skip
def test_overlap(first, second, k, share):
    assert overlap_at(first, second, k) == pytest.approx(share)


@pytest.mark.parametrize(
    ("first", "second", "value"), [("abc", "abc", 1.0), ("abc", "def", 0.0), ("", "", 1.0), ("a", "", 0.0)]
)
def test_ends_of_the_scale(first, second, value):
    assert rank_biased_overlap(first, second) == pytest.approx(value)


def test_against_the_sum_over_depths():
    # agreement 0, 1, 2/3, then assumed to stay: (1 - p) * (0 + p + 2/3 * p^2) + 2/3 * p^3
    p = 0.9
    expected = (1 - p) * (0 + p + 2 / 3 * p**2) + 2 / 3 * p**3
    assert rank_biased_overlap("abc", "bad", p) == pytest.approx(expected)


def test_the_first_places_weigh_most_and_more_with_less_persistence():
    assert rank_biased_overlap("abcdef", "bacdef") < rank_biased_overlap("abcdef", "abcdfe")
    assert rank_biased_overlap("abcdef", "bacdef", 0.5) < rank_biased_overlap("abcdef", "bacdef", 0.9)


def test_a_ranking_that_is_the_beginning_of_the_other_is_the_same_as_far_as_known():
    assert rank_biased_overlap("abc", "abcdef") == pytest.approx(1.0)
    assert rank_biased_overlap("abcdef", "abc") == pytest.approx(1.0)
