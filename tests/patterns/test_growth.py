"""No regular expression of the product takes longer than its input grows."""

import re

import pytest

from tests.patterns.found import Found, all_patterns
from tests.patterns.growth import FULL, dearest, faster_than_input
from tests.patterns.pumps import pumps

pytestmark = pytest.mark.unit
GROUPS = 8
"""So that several processes share the work."""
LEAST = 300
"""So many patterns there are at the least: who finds fewer has not looked everywhere."""
BOUNDED = {"components/splitters/definition_lines.py": 300}
"""File -> the most characters that its code gives to a pattern (`_LONGEST_LINE`)."""
MOST_S = 0.05


def told(found: Found) -> list[str]:
    bound = BOUNDED.get(found.place.partition(":")[0])
    if bound is None:
        return [f"{found.place}: {growth}" for growth in faster_than_input(found)]
    seconds = dearest(found, bound)
    return [f"{found.place}: {seconds:.3f} s for {bound} characters"] if seconds > MOST_S else []


@pytest.mark.parametrize("group", range(GROUPS))
def test_time_grows_with_the_input(group):
    assert not [line for found in all_patterns()[group::GROUPS] for line in told(found)]


def test_every_pattern_is_found():
    found = all_patterns()
    assert len(found) > LEAST
    assert {one.place.partition("/")[0] for one in found} == {"components", "server", "dashboard", "eval"}


@pytest.mark.parametrize(
    ("regex", "way"),
    [
        (r"(a+)+$", "match"),
        (r"(?:a|ab|b)*c", "match"),
        (r"\s*(?:[\s:|-]+\|?$)", "match"),
        (r"[ \t]+$", "finditer"),
        (r"!?\[([^\]]*)\]\([^)]*\)", "finditer"),
        (r"“[^”]*”", "search"),
        (r".*\bwrote\b.*:\s*", "fullmatch"),
        (r"[A-Za-z]\d+[A-Za-z]?(?:[-_.]?[A-Za-z]*\d+[A-Za-z]?)*(?![A-Za-z0-9])", "finditer"),
        (r"第\s*\d+\s*页(?!\d)|\d+(?:,\d+)*\.\d+", "finditer"),
    ],
)
def test_what_grows_faster_is_noticed(regex, way):
    assert faster_than_input(Found(re.compile(regex), "here", frozenset({way})))


def test_worst_inputs_reach_their_full_length():
    assert all(FULL // 2 < len(pump.text(FULL)) < 2 * FULL for pump in pumps(re.compile(r"<a[^>]*>"), ("!",)))
