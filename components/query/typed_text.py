"""The short text form of a filter (`after:2024-01`), told from the filter itself."""

import datetime
from collections.abc import Iterator
from typing import Any

from components.errors import FilterError
from components.query.periods import DAY, Period
from components.query.short_filters import short_filter

_KEYS = {"doc_type": "type", "tags": "tag", "language": "lang", "source": "path"}
_DATES = {"modified_at", "ingested_at"}
_PAGES = {"page_first", "page_last"}
Leaf = tuple[str, str, Any]


def typed_text(condition: dict[str, Any]) -> str | None:
    """Return how a filter is typed, None if it has no short form.

    :param condition: a Haystack filter.
    :returns: a text of which `short_filter` makes this very filter.
    """
    negated = condition.get("operator") == "NOT"
    leaves = [leaf for leaf in _leaves(condition) if leaf[2] is not None]
    for name, value in _candidates(leaves):
        try:
            made = short_filter(name, value, negated)
        except FilterError:
            continue
        if made.condition == condition:
            return made.text
    return None


def _leaves(condition: dict[str, Any]) -> Iterator[Leaf]:
    parts = condition.get("conditions")
    if not isinstance(parts, list):
        yield str(condition.get("field")).removeprefix("meta."), str(condition.get("operator")), condition.get("value")
        return
    for part in parts:
        if isinstance(part, dict):
            yield from _leaves(part)


def _candidates(leaves: list[Leaf]) -> Iterator[tuple[str, str]]:
    fields = {field for field, _, _ in leaves}
    if fields and fields <= _DATES:
        yield from _dated(leaves)
    elif fields == _PAGES:
        bounds = [str(value) for _, _, value in leaves]
        pairs = zip(bounds[::2], bounds[1::2], strict=False)
        yield "page", ",".join(first if first == last else f"{first}-{last}" for first, last in pairs)
    elif len(fields) == 1:
        field = fields.pop()
        values = [_value(value) for _, _, value in leaves]
        name = _KEYS.get(field, field)
        if name == "path":  # a folder, what is in it, and rows of a file are looked for at once
            values = [value.removeprefix("*/") for value in values[::3]]
        elif name in ("title", "section"):
            values = [value.strip("*") for value in values]
        yield name, ",".join(values)
        yield name, f'"{",".join(values)}"'


def _value(value: Any) -> str:
    return str(value[0] if isinstance(value, list) and value else value)


def _dated(leaves: list[Leaf]) -> Iterator[tuple[str, str]]:
    first = next((_day(value) for _, operator, value in leaves if operator == ">="), None)
    end = next((_day(value) for _, operator, value in leaves if operator == "<"), None)
    if first and not end:
        yield "after", _shortest(first)
    if end and not first:
        yield "before", _shortest(end)
    if first or end:
        period = Period(first, end - DAY if end else None)
        yield "modified", str(period)
        yield "ingested", str(period)


def _day(time: Any) -> datetime.date | None:
    """Return the day that begins at a time where this machine is."""
    try:
        return datetime.datetime.fromisoformat(str(time)).astimezone().date()
    except (ValueError, OverflowError):
        return None


def _shortest(day: datetime.date) -> str:
    return f"{day:%Y-%m}" if day.day == 1 else str(day)
