"""Filters are told in the form in which they can be typed."""

import pytest

from components.query.query_filters import _described
from components.query.short_filters import all_of, parse_short_filters
from components.query.typed_text import typed_text

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        ("after:2024-01", "after:2024-01"),
        ("since:2024-03-15", "after:2024-03-15"),
        ("before:2025", "before:2025-01"),
        ("-after:2024-01", "-after:2024-01"),
        ("modified:2024-03", "modified:2024-03"),
        ("ingested:2024-01..2024-06", "ingested:2024-01-01..2024-06-30"),
        ("类型:word,pdf", "type:docx,pdf"),
        ("-lang:zh", "-lang:zh"),
        ("page:3-10", "page:3-10"),
        ("page:1,7", "page:1,7"),
        ('tag:"合同 2024"', 'tag:"合同 2024"'),
        ("path:reports/*,a.pdf", "path:reports/*,a.pdf"),
        ("title:handbook", "title:handbook"),
        ('section:"2.1"', 'section:"2.1"'),
        ("team:x,7", "team:x,7"),
    ],
)
def test_a_short_filter_is_told_as_it_is_typed(typed, told):
    (one,) = parse_short_filters(typed)
    said = typed_text(one.condition)
    assert said is not None
    assert said.replace('"', "") == told.replace('"', "")
    (again,) = parse_short_filters(said)
    assert again.condition == one.condition


@pytest.mark.parametrize(
    "condition",
    [
        {"field": "meta.language", "operator": "==", "value": "zh"},
        {"field": "meta.modified_at", "operator": ">=", "value": "yesterday"},
        {"field": "meta.page", "operator": ">=", "value": 3},
        {"operator": "OR", "conditions": []},
        {"operator": "AND", "conditions": ["x"]},
    ],
)
def test_what_has_no_short_form_has_none(condition):
    assert typed_text(condition) is None


def test_several_are_told_side_by_side_and_others_in_full():
    short = [one.condition for one in parse_short_filters("type:pdf after:2024-01")]
    assert _described(all_of(short)) == "type:pdf after:2024-01"
    other = {"field": "meta.team", "operator": "==", "value": "x"}
    assert _described(all_of([*short, other])) == 'type:pdf AND after:2024-01 AND team == "x"'
