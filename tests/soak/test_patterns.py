"""No regular expression takes longer than its input grows, whatever stands at the end of it."""

import pytest

from tests.patterns.found import all_patterns
from tests.patterns.growth import ALL_TAILS, faster_than_input
from tests.patterns.test_growth import BOUNDED

pytestmark = pytest.mark.soak
GROUPS = 8


@pytest.mark.parametrize("group", range(GROUPS))
def test_time_grows_with_the_input(group):
    patterns = [one for one in all_patterns() if one.place.partition(":")[0] not in BOUNDED]
    assert not [growth for one in patterns[group::GROUPS] for growth in faster_than_input(one, ALL_TAILS)]
