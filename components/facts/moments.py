"""Dates, times of day and weekdays in Chinese and English text."""

import re
from collections.abc import Iterator

from components.enrichers.dates import dates_in
from components.facts.numbers import UNIT, han_number

_MONTH = (
    "(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sept?(?:ember)?"
    "|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?)"
)
_YEAR = r"(?:1[6-9]|20)\d\d"
_DATE = re.compile(
    r"[一二][九〇零][零〇一二三四五六七八九]{2}年"
    rf"|{_YEAR}\s?年(?:\s?\d{{1,2}}\s?月(?:\s?\d{{1,2}}\s?[日号])?)?"
    rf"|(?<![\d.]){_YEAR}([-/.])\d{{1,2}}\1\d{{1,2}}(?!\d)"
    rf"|\b(?:\d{{1,2}}(?:st|nd|rd|th)? )?{_MONTH}\.?(?: \d{{1,2}}(?:st|nd|rd|th)?)?,? {_YEAR}\b"
    rf"|\b(?:in|since|of|until|by|before|after|from|year) {_YEAR}\b(?!{UNIT}|[.,]\d)"
)
_DAY_OF_YEAR = re.compile(
    rf"\b(\d{{1,2}}) ({_MONTH})\b|\b({_MONTH}) (\d{{1,2}})\b(?!,? ?\d)|\d{{1,2}} ?月 ?\d{{1,2}} ?[日号]"
)
_CLOCK = re.compile(r"(?<![\d:.])([01]?\d|2[0-4])[:：]([0-5]\d)(?![\d:])(?:\s?([ap])\.?m\b)?", re.IGNORECASE)
_HOURS = r"[一二两三四五六七八九十]{1,3}|\d{1,2}"
_HAN_CLOCK = re.compile(
    rf"(?P<part>凌晨|早上|上午|中午|下午|晚上|夜里)?\s?(?P<hour>{_HOURS})\s?点"
    r"(?:(?P<full>钟|整)|(?P<half>半)|(?P<minute>[一二三四五十]{1,3}|\d{1,2})\s?分)?(?![一二三四五六七八九\d])"
)
_WEEKDAYS = {
    name: str(day)
    for day, (english, han) in enumerate(
        zip(
            ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"),
            ("一", "二", "三", "四", "五", "六", "日天"),
            strict=True,
        )
    )
    for name in (english, f"{english}s", *(f"{week}{digit}" for week in ("周", "星期", "礼拜") for digit in han))
}
_WEEKDAY = re.compile(
    rf"\b(?:{'|'.join(name for name in _WEEKDAYS if name.isascii())})\b|(?:周|星期|礼拜)[一二三四五六日天]",
    re.IGNORECASE,
)

Found = tuple[str, tuple[int, int]]
"""What was found, in the form in which it is compared, and its place."""


def dates(text: str) -> Iterator[Found]:
    """Find dates: `YYYY-MM-DD`, `YYYY-MM` or `YYYY`; `-MM-DD` without a year.

    :param text: NFKC-normalised.
    """
    taken = []
    for match in _DATE.finditer(text):
        taken.append(match.span())
        year = re.search(_YEAR, match[0])
        iso = dates_in(match[0])
        yield iso[0] if iso else year[0] if year else str(int(han_number(match[0][:4]))), match.span()
    for match in _DAY_OF_YEAR.finditer(text):
        if any(start <= match.start() < end for start, end in taken):
            continue
        # a leap year: only month and day are read back
        named = f"{match[1] or match[4]} {match[2] or match[3]} 2024" if match[1] or match[3] else f"2024年{match[0]}"
        if iso := dates_in(named):
            yield iso[0][4:], match.span()


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
        # 十点 by itself may be a decimal, or ten points
        if hour > 24 or not any(match[name] for name in ("part", "full", "half", "minute")):
            continue
        if match["part"] in ("下午", "晚上") and hour < 12:
            hour += 12
        minute = 30 if match["half"] else _integer(match["minute"]) if match["minute"] else 0
        yield f"{hour:02}:{minute:02}", match.span()


def weekdays(text: str) -> Iterator[Found]:
    """Find weekdays: `0` for Monday to `6`.

    :param text: NFKC-normalised.
    """
    for match in _WEEKDAY.finditer(text):
        yield _WEEKDAYS[match[0].lower()], match.span()


def _integer(text: str) -> int:
    return int(text) if text.isdecimal() else int(han_number(text))
