"""Spans of days, as a person names them and as a filter compares them."""

import calendar
import datetime
import re
from dataclasses import dataclass
from typing import Any

DAY = datetime.timedelta(days=1)
_YEAR = r"(?P<year>(?:19|20|21)\d\d)"
_ISO = re.compile(rf"{_YEAR}(?:[-/.](?P<month>\d{{1,2}})(?:[-/.](?P<day>\d{{1,2}}))?|-?[Qq](?P<quarter>[1-4]))?")


@dataclass(frozen=True)
class Period:
    """Days from `first` to `last`, both in it; None for an open end."""

    first: datetime.date | None
    last: datetime.date | None

    def __str__(self) -> str:
        """Return the shortest form that `parse_period` reads: `2024`, `2024-03`, `2024-03-05..2024-04-01`."""
        if self.first and self.last:
            for whole, form in ((year_of, "%Y"), (month_of, "%Y-%m"), (day_of, "%Y-%m-%d")):
                if whole(self.first) == self:
                    return self.first.strftime(form)
        return f"{self.first or ''}..{self.last or ''}"

    def before(self) -> "Period":
        """Return all days before the first."""
        return Period(None, self.first - DAY if self.first else None)

    def after(self) -> "Period":
        """Return all days after the last."""
        return Period(self.last + DAY if self.last else None, None)


def parse_period(text: str) -> Period | None:
    """Return the period that a text in digits stands for, or None.

    :param text: `2024`, `2024-03` (also with `/` or `.`), `2024-03-05`, `2024Q1`; two of them joined by `..` (one may
        be left out).
    """
    first, dots, last = text.partition("..")
    if not dots:
        return _parse_one(text)
    start, end = _parse_one(first), _parse_one(last)
    if not (start or end) or (first and not start) or (last and not end):
        return None
    return Period(start.first if start else None, end.last if end else None)


def day_of(day: datetime.date) -> Period:
    """Return one day."""
    return Period(day, day)


def month_of(day: datetime.date) -> Period:
    """Return the month in which a day is."""
    return months(day.year, day.month, 1)


def year_of(day: datetime.date) -> Period:
    """Return the year in which a day is."""
    return months(day.year, 1, 12)


def months(year: int, month: int, count: int) -> Period:
    """Return so many whole months.

    :param month: the first, counted from January of `year` = 1; 0 is the December before, and so on.
    """
    start, end = year * 12 + month - 1, year * 12 + month + count - 2
    last = calendar.monthrange(end // 12, end % 12 + 1)[1]
    return Period(datetime.date(start // 12, start % 12 + 1, 1), datetime.date(end // 12, end % 12 + 1, last))


def period_condition(field: str, period: Period) -> dict[str, Any]:
    """Return the Haystack filter of documents whose day lies in the period; days begin where this machine is.

    :param field: `modified` (a document of which nobody knows when it was modified counts by its ingest), or
        `ingested`.
    """
    ingested = _between("meta.ingested_at", period)
    if field == "ingested":
        return ingested
    unknown = {"field": "meta.modified_at", "operator": "==", "value": None}
    stand_in = {"operator": "AND", "conditions": [unknown, ingested]}
    return {"operator": "OR", "conditions": [_between("meta.modified_at", period), stand_in]}


def _between(field: str, period: Period) -> dict[str, Any]:
    conditions = []
    if period.first:
        conditions.append({"field": field, "operator": ">=", "value": _midnight(period.first)})
    if period.last:
        conditions.append({"field": field, "operator": "<", "value": _midnight(period.last + DAY)})
    return conditions[0] if len(conditions) == 1 else {"operator": "AND", "conditions": conditions}


def _midnight(day: datetime.date) -> str:
    """Return the beginning of a day as times stand in the catalog: ISO 8601 in UTC, to the millisecond."""
    local = datetime.datetime.combine(day, datetime.time()).astimezone()
    return local.astimezone(datetime.UTC).isoformat(timespec="milliseconds")


def _parse_one(text: str) -> Period | None:
    match = _ISO.fullmatch(text)
    if not match:
        return None
    year, month, day, quarter = (int(match[name] or 0) for name in ("year", "month", "day", "quarter"))
    if quarter:
        return months(year, quarter * 3 - 2, 3)
    if match["month"] is None:
        return months(year, 1, 12)
    try:
        start = datetime.date(year, month, day if match["day"] else 1)
    except ValueError:
        return None
    return day_of(start) if match["day"] else month_of(start)
