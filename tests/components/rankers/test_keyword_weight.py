import pytest

from components.rankers.keyword_weight import COMPARED, TYPICAL_LEAD, grown, lead

pytestmark = pytest.mark.unit


def test_the_lead_is_the_distance_to_the_mean_of_the_next_ones_as_a_share() -> None:
    assert lead([5.0] * COMPARED, 40) == 0.0
    assert lead([2.0, *[4.0] * (COMPARED - 2), 8.0], 40) == pytest.approx(1 - (18 * 4 + 2) / 19 / 8)
    assert lead([8.0, *[4.0] * (COMPARED - 1), *[1.0] * 50], 90) == 0.5


def test_passages_that_were_not_found_have_0() -> None:
    assert lead([8.0, 4.0], 40) == pytest.approx(1 - 4 / 19 / 8)
    assert lead([8.0, 4.0], 3) == 0.75
    assert lead([3.0], 2) == 1.0


def test_where_there_is_nothing_to_compare_there_is_no_lead() -> None:
    assert lead([3.0], 1) == 0.0
    assert lead([], 40) == 0.0


def test_a_weight_grows_with_the_lead_and_stays_at_a_typical_one() -> None:
    assert grown(0.4, TYPICAL_LEAD, 3.0) == pytest.approx(0.4)
    weights = [grown(0.4, ahead, 3.0) for ahead in (0.0, 0.3, 0.6, 1.0)]
    assert weights == sorted(weights)
    assert 0 < weights[0] < 0.2
    assert 0.7 < weights[-1] < 1


@pytest.mark.parametrize("weight", [0.0, 1.0])
def test_no_weight_and_all_of_it_stay(weight: float) -> None:
    assert grown(weight, 1.0, 3.0) == weight


def test_without_a_gain_nothing_grows() -> None:
    assert grown(0.4, 1.0, 0.0) == pytest.approx(0.4)
