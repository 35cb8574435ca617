"""Conditions on metadata as Dify sends them, as a filter of the hub."""

import datetime
from collections.abc import Callable
from typing import Any, Literal

from pydantic import Field

from khub.components.errors import FilterError
from khub.components.query.periods import DAY, parse_period
from khub.components.query.short_filters import all_of, any_of
from khub.server.http.arguments import Strict

Scalar = str | bool | int | float
MOST_CONDITIONS = 50
WILD = "*?"


class Condition(Strict):
    """A condition on fields of metadata; of several names, one that passes is enough, and `not` is said of all."""

    name: str | list[str] = Field(description="A field, or several.")
    comparison_operator: str = Field(
        description="contains, not contains, start with, end with, is, is not, in, not in, empty, not empty, "
        "=, ≠, >, <, ≥, ≤, before, after"
    )
    value: Scalar | list[Scalar] | None = None


class Conditions(Strict):
    """Conditions that are joined."""

    logical_operator: Literal["and", "or"] = "and"
    conditions: list[Condition] = Field(max_length=MOST_CONDITIONS)


def filter_of(conditions: Conditions | None) -> dict[str, Any] | None:
    """Return conditions as a Haystack filter; None for none.

    :raises FilterError: for an operator that the hub does not know, or a value that it cannot take.
    """
    if conditions is None or not conditions.conditions:
        return None
    joined = any_of if conditions.logical_operator == "or" else all_of
    return joined([_filter(one) for one in conditions.conditions])


def _filter(one: Condition) -> dict[str, Any]:
    word = OTHER_WORDS.get(one.comparison_operator, one.comparison_operator)
    plain = NEGATED.get(word, word)
    if plain not in MAKERS:
        known = ", ".join([*MAKERS, *NEGATED])
        raise FilterError(f"comparison_operator {one.comparison_operator!r:.80} is unknown", f"use one of: {known}")
    names = [one.name] if isinstance(one.name, str) else one.name
    if not names:
        raise FilterError("a condition names no field", "give 'name' a field of the metadata")
    found = any_of([MAKERS[plain](f"meta.{name}", one.value) for name in names])
    return {"operator": "NOT", "conditions": [found]} if word in NEGATED else found


def _compared(field: str, operator: str, value: Any) -> dict[str, Any]:
    return {"field": field, "operator": operator, "value": value}


def _pattern(before: str, after: str) -> Callable[[str, Any], dict[str, Any]]:
    def make(field: str, value: Any) -> dict[str, Any]:
        text = _scalar(value)
        if not str(text) or set(WILD) & set(str(text)):
            raise FilterError(f"{text!r:.80} cannot be looked for within a text", "give letters, without * and ?")
        return _compared(field, "glob", f"{before}{text}{after}")

    return make


def _equal(field: str, value: Any) -> dict[str, Any]:
    return _compared(field, "in", _alike(_scalar(value)))


def _among(field: str, value: Any) -> dict[str, Any]:
    values = value if isinstance(value, list) else [_scalar(value)]
    return _compared(field, "in", [form for one in values for form in _alike(one)])


def _empty(field: str, _: Any) -> dict[str, Any]:
    return any_of([_compared(field, "==", None), _compared(field, "==", "")])


def _number_compared(operator: str) -> Callable[[str, Any], dict[str, Any]]:
    def make(field: str, value: Any) -> dict[str, Any]:
        number = _number(_scalar(value))
        if number is None:
            raise FilterError(f"{value!r:.80} is no number", "compare a date by before or after, and a text by is")
        return _compared(field, operator, number)

    return make


def _before(field: str, value: Any) -> dict[str, Any]:
    day, moment = _time(value)
    return _compared(field, "<", day[0] if day else moment)


def _after(field: str, value: Any) -> dict[str, Any]:
    day, moment = _time(value)
    return _compared(field, ">=", day[1]) if day else _compared(field, ">", moment)


def _time(value: Any) -> tuple[tuple[str, str] | None, str]:
    """Return the first day of what is named and the one after its last; or a moment, as the catalog writes it, in UTC.

    Days as text are compared with what begins with a day, be it a day itself or a time.
    """
    given = _scalar(value)
    period = parse_period(given) if isinstance(given, str) else None
    if period is not None and period.first and period.last:
        return (period.first.isoformat(), (period.last + DAY).isoformat()), ""
    number = _number(given)
    try:
        moment = datetime.datetime.fromtimestamp(number, datetime.UTC) if number is not None else _parsed(str(given))
        return None, moment.astimezone(datetime.UTC).isoformat(timespec="milliseconds")
    except (ValueError, OverflowError, OSError) as error:
        raise FilterError(f"{given!r:.80} is no date", "write it like 2024-03-05, or as seconds since 1970") from error


def _parsed(text: str) -> datetime.datetime:
    moment = datetime.datetime.fromisoformat(text)
    return moment if moment.tzinfo else moment.replace(tzinfo=datetime.UTC)


def _alike(value: Scalar) -> list[Any]:
    """Return the values that a caller may mean who writes numbers, or yes and no, as text."""
    number = _number(value)
    spoken = {"true": True, "false": False}.get(str(value).lower())
    forms = [value, *([] if number is None else [number, str(value)]), *([] if spoken is None else [spoken])]
    return list({(type(form), form): form for form in forms}.values())


def _number(value: Scalar) -> int | float | None:
    if not isinstance(value, str):
        return value
    try:
        found = float(value)
    except ValueError:
        return None
    return int(found) if found.is_integer() and abs(found) < 2**53 else found if abs(found) < float("inf") else None


def _scalar(value: Any) -> Scalar:
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    if value is None or isinstance(value, list):
        raise FilterError(f"this comparison takes one value, and not {value!r:.80}", "give 'value' a text or a number")
    return value  # type: ignore[no-any-return]  # pydantic has checked it


MAKERS: dict[str, Callable[[str, Any], dict[str, Any]]] = {
    "contains": _pattern("*", "*"),
    "start with": _pattern("", "*"),
    "end with": _pattern("*", ""),
    "is": _equal,
    "=": _equal,
    "in": _among,
    "empty": _empty,
    ">": _number_compared(">"),
    "<": _number_compared("<"),
    "≥": _number_compared(">="),
    "≤": _number_compared("<="),
    "before": _before,
    "after": _after,
}
NEGATED = {"not contains": "contains", "is not": "is", "≠": "=", "not in": "in", "not empty": "empty"}
"""What is passed by just what another one does not pass: a field that is missing, too."""
OTHER_WORDS = {"null": "empty", "not null": "not empty", ">=": "≥", "<=": "≤", "!=": "≠", "==": "="}
