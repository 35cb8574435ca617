"""The dates, times of day and weekdays that a text names, in Chinese and English."""

import datetime
import re
from collections import Counter
from collections.abc import Iterator, Sequence

from khub.components.text.number_words import han_number

MAX_DATES = 20
Found = tuple[str, tuple[int, int]]
"""What was found, in the form in which it is compared, and its place."""

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_NAME = (
    "(?P<name>Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sept?(?:ember)?"
    r"|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?)\.?"
)
_YEAR = r"(?P<year>(?:1[6-9]|20)\d\d)"
_DAY = r"(?P<day>\d{1,2})"
_NTH = rf"{_DAY}(?:st|nd|rd|th)?"
# each reads what those before it have left
_FORMS = tuple(
    re.compile(pattern)
    for pattern in (
        rf"(?<![\d./-]){_YEAR}(?P<mark>[-/.])(?P<month>\d{{1,2}})(?P=mark){_DAY}(?![\d./-]\d|\d)",
        rf"(?<!\d){_YEAR}\s?年(?:\s?(?P<month>\d{{1,2}})\s?月(?:\s?{_DAY}\s?[日号])?)?",
        r"(?P<han>[一二][九〇零][零〇一二三四五六七八九]{2})年",
        rf"\b{_NAME} {_NTH},? {_YEAR}\b",
        rf"\b{_NTH} {_NAME},? {_YEAR}\b",
        rf"(?<!\d )\b{_NAME},? {_YEAR}\b",
        rf"\b{_NTH} {_NAME}\b(?! \d{{4}})",
        rf"\b{_NAME} {_NTH}\b(?!,? ?\d)",
        rf"(?P<month>\d{{1,2}})\s?月\s?{_DAY}\s?[日号]",
        rf"\b(?:[Ii]n|[Ss]ince|of|[Uu]ntil|[Bb]y|[Bb]efore|[Aa]fter|[Ff]rom|early|late|year) {_YEAR}\b(?!\s?%|[.,]\d)",
    )
)
_CLOCK = re.compile(r"(?<![\d:.])([01]?\d|2[0-4])[:：]([0-5]\d)(?![\d:])(?:\s?([ap])\.?m\b)?", re.IGNORECASE)
_HOURS = r"[一二两三四五六七八九十]{1,3}|\d{1,2}"
# 十点 by itself may be a decimal, or ten points
_HAN_CLOCK = re.compile(
    rf"(?P<part>凌晨|早上|上午|中午|(?P<late>下午|晚上)|夜里)?\s?(?P<hour>{_HOURS})\s?点"
    r"(?:钟|整|(?P<half>半)|(?P<minute>[一二三四五十]{1,3}|\d{1,2})\s?分|(?(part)|(?!)))(?![一二三四五六七八九\d])"
)
_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_WEEKDAY = re.compile(rf"\b({'|'.join(_WEEKDAYS)})s?\b|(?:周|星期|礼拜)([一二三四五六日天])", re.IGNORECASE)


def dates(text: str) -> Iterator[Found]:
    """Find dates: `YYYY-MM-DD`, `YYYY-MM` or `YYYY`; `-MM-DD` without a year.

    Day and month as two numbers are not read: they stand for one thing here and for another there.

    :param text: NFKC-normalised.
    """
    for form in _FORMS:
        taken: list[tuple[int, int]] = []
        for match in form.finditer(text):
            if date := _iso(match.groupdict()):
                yield date, match.span()
                taken.append(match.span())
        text = without_spans(text, taken)


def without_spans(text: str, spans: Sequence[tuple[int, int]]) -> str:
    """Return a text with blanks in the place of parts of it, which do not overlap and stand in their order."""
    if not spans:
        return text
    kept, end = [], 0
    for start, stop in spans:
        kept += [text[end:start], " " * (stop - start)]
        end = stop
    return "".join([*kept, text[end:]])


def dates_in(text: str) -> list[str]:
    """Return the dates of a text with year and month, the most frequent first (of equally frequent ones, the earlier).

    :param text: any text.
    :returns: at most 20 of `YYYY-MM-DD` or, without a day, `YYYY-MM`.
    """
    found = Counter(date for date, _ in dates(text) if len(date) >= len("2024-01"))
    return sorted(found, key=lambda date: (-found[date], date))[:MAX_DATES]


def times(text: str) -> Iterator[Found]:
    """Find times of day: `HH:MM`.

    :param text: NFKC-normalised.
    """
    for match in _CLOCK.finditer(text):
        hour = int(match[1])
        if match[3]:
            hour = hour % 12 + (12 if match[3].lower() == "p" else 0)
        yield f"{hour:02}:{match[2]}", match.span()
    for match in _HAN_CLOCK.finditer(text):
        hour = _integer(match["hour"])
        if hour <= 24:
            minute = 30 if match["half"] else _integer(match["minute"] or "0")
            yield f"{hour + 12 if match['late'] and hour < 12 else hour:02}:{minute:02}", match.span()


def weekdays(text: str) -> Iterator[Found]:
    """Find weekdays: `0` for Monday to `6`.

    :param text: NFKC-normalised.
    """
    for match in _WEEKDAY.finditer(text):
        day = _WEEKDAYS.index(match[1].lower()) if match[1] else "一二三四五六日天".index(match[2])
        yield str(min(day, 6)), match.span()


def _iso(parts: dict[str, str | None]) -> str | None:
    if parts.get("han"):
        return str(int(han_number(str(parts["han"]))))
    name, year = parts.get("name"), parts.get("year")
    month = _MONTHS.index(name[:3].lower()) + 1 if name else int(parts.get("month") or 0)
    if not month:
        return year
    try:
        date = datetime.date(int(year or 2024), month, int(parts.get("day") or 1))  # 2024 has a 29 February
    except ValueError:
        return None
    iso = date.isoformat() if parts.get("day") else date.isoformat()[:7]
    return iso if year else iso[4:]


def _integer(text: str) -> int:
    return int(text) if text.isdecimal() else int(han_number(text))
