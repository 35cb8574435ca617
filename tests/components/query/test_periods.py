import datetime
import sys
import time

import pytest

from khub.components.query.periods import Period, parse_period, period_condition

pytestmark = pytest.mark.unit


def days(first, last):
    return Period(*(datetime.date.fromisoformat(day) if day else None for day in (first, last)))


@pytest.mark.parametrize(
    ("text", "first", "last", "shown"),
    [
        ("2024", "2024-01-01", "2024-12-31", "2024"),
        ("2024-02", "2024-02-01", "2024-02-29", "2024-02"),
        ("2024/2/5", "2024-02-05", "2024-02-05", "2024-02-05"),
        ("2024Q3", "2024-07-01", "2024-09-30", "2024-07-01..2024-09-30"),
        ("2023..2024-03", "2023-01-01", "2024-03-31", "2023-01-01..2024-03-31"),
        ("2024..", "2024-01-01", None, "2024-01-01.."),
        ("..2024-03", None, "2024-03-31", "..2024-03-31"),
    ],
)
def test_periods_in_digits(text, first, last, shown):
    period = parse_period(text)
    assert period == days(first, last)
    assert str(period) == shown
    assert parse_period(shown) == period


@pytest.mark.parametrize("text", ["", "..", "soon", "2024-13", "2024-02-30", "24", "2024..x", "x..2024", "2024-01-"])
def test_what_is_no_period(text):
    assert parse_period(text) is None


@pytest.mark.skipif(sys.platform == "win32", reason="the time zone of a process cannot be set")
def test_a_day_begins_where_the_machine_is(monkeypatch):
    monkeypatch.setenv("TZ", "Asia/Shanghai")
    time.tzset()
    try:
        condition = period_condition("ingested", days("2024-03-01", "2024-03-31"))
    finally:
        monkeypatch.undo()
        time.tzset()
    assert [one["value"] for one in condition["conditions"]] == [
        "2024-02-29T16:00:00.000+00:00",
        "2024-03-31T16:00:00.000+00:00",
    ]
