"""The dates that a text names."""

import datetime
import re
from collections import Counter

MAX_DATES = 20

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_NAME = (
    "(?P<name>Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sept?(?:ember)?"
    r"|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?)\.?"
)
_YEAR = r"(?P<year>(?:1[6-9]|20)\d\d)"
_DAY = r"(?P<day>\d{1,2})"
_FORMS = tuple(
    re.compile(pattern)
    for pattern in (
        rf"(?<![\d./-]){_YEAR}(?P<mark>[-/.])(?P<month>\d{{1,2}})(?P=mark){_DAY}(?![\d./-]\d|\d)",
        rf"(?<!\d){_YEAR} ?年 ?(?P<month>\d{{1,2}}) ?月(?: ?{_DAY} ?[日号])?",
        rf"\b{_NAME} {_DAY}(?:st|nd|rd|th)?,? {_YEAR}\b",
        rf"\b{_DAY}(?:st|nd|rd|th)? {_NAME},? {_YEAR}\b",
        rf"(?<!\d )\b{_NAME},? {_YEAR}\b",
    )
)


def dates_in(text: str) -> list[str]:
    """Return the dates in a text, in ISO form, the most frequent first (of equally frequent ones, the earlier in time).

    Understood are `2024-01-05`, `2024/1/5`, `2024.1.5`, `2024年1月5日`, `2024年1月`, `5 January 2024`, `Jan 5, 2024`,
    `January 2024`; not day and month as two numbers, which stand for one thing here and for another there.

    :param text: any text.
    :returns: at most 20 of `YYYY-MM-DD` or, without a day, `YYYY-MM`.
    """
    found: Counter[str] = Counter()
    for form in _FORMS:
        for match in form.finditer(text):
            if date := _iso(match.groupdict()):
                found[date] += 1
    return sorted(found, key=lambda date: (-found[date], date))[:MAX_DATES]


def _iso(parts: dict[str, str | None]) -> str | None:
    name = parts.get("name")
    month = _MONTHS.index(name[:3].lower()) + 1 if name else int(parts["month"] or 0)
    try:
        date = datetime.date(int(parts["year"] or 0), month, int(parts.get("day") or 1))
    except ValueError:
        return None
    return date.isoformat() if parts.get("day") else date.isoformat()[:7]
