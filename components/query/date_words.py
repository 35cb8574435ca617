"""Periods in words, Chinese and English: `last March`, `Q3 2024`, `去年`, `最近三个月`."""

import datetime
import re

from components.query.periods import DAY, Period, day_of, month_of, months, parse_period

_MONTH_NAMES = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?)\.?"
)
_YEAR = r"(?:19|20)\d\d"
_COUNTS = {"a": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "ten": 10, "twelve": 12}
_COUNT = rf"(?:\d{{1,3}}|{'|'.join(_COUNTS)})"
_ORDINALS = ("first", "second", "third", "fourth")
_WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_WEEKDAY = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day"
ENGLISH_PERIOD = (
    rf"(?:today|yesterday|(?:last )?{_WEEKDAY}"
    rf"|(?:the )?(?:last|past|previous) {_COUNT} (?:day|week|month|quarter|year)s?"
    rf"|(?:the )?(?:last|past|previous) (?:week|month|quarter|year)|this (?:week|month|quarter|year)"
    rf"|(?:last|this) {_MONTH}\b|{_MONTH} \d{{1,2}}(?:st|nd|rd|th)?,? {_YEAR}"
    rf"|\d{{1,2}}(?:st|nd|rd|th)? {_MONTH},? {_YEAR}|{_MONTH},? (?:of )?{_YEAR}"
    rf"|q[1-4](?: of|,)? ?{_YEAR}|{_YEAR} ?q[1-4]|(?:the )?(?:{'|'.join(_ORDINALS)}) quarter of {_YEAR}"
    rf"|h[12] {_YEAR}|(?:the )?(?:first|second) half of {_YEAR}"
    rf"|{_YEAR}[-/]\d{{1,2}}(?:[-/]\d{{1,2}})?(?!\d)|{_YEAR}(?![\d-])|{_MONTH}\b)"
)
"""A pattern without groups, to be used regardless of case."""

_DIGITS = {"一": 1, "二": 2, "两": 2, "三": 3, "四": 4, "五": 5, "六": 6, "七": 7, "八": 8, "九": 9, "十": 10, "半": 0}
_HAN_NUMBER = r"(?:\d{1,3}|十[一二]?|[一二两三四五六七八九半])"
_HAN_MONTH = r"(?:1[0-2]|0?[1-9]|十[一二]?|[一二三四五六七八九])\s?月(?:份|底|初)?"
_HAN_PART = rf"(?:{_HAN_MONTH}(?:\s?\d{{1,2}}\s?[日号])?|第?[一二三四1-4]季度|[Qq][1-4]|[上下]半年)"
CHINESE_PERIOD = (
    rf"(?:今天|昨天|前天|(?:[本这上]个?)?(?:周|星期)[一二三四五六日天](?!\S?次)"
    rf"|(?:本|这|这一|这个|上|上个|上一)(?:周|星期|礼拜)|(?:本|这个|上|上个)月(?!球)"
    rf"|(?:本|这个|上|上个)季度|(?:今年|去年|前年|{_YEAR}\s?年)度?(?:\s?的?\s?{_HAN_PART})?"
    rf"|(?:最近|近|过去)的?\s?{_HAN_NUMBER}\s?(?:天|周|个?星期|个?月|年|个?季度)(?!度)|{_HAN_MONTH})"
)
"""A pattern without groups."""


def english_period(words: str, today: datetime.date) -> Period | None:
    """Return the period that is meant, or None for a date that no calendar has.

    `last week` is the week before this one, `the last week` and `past week` are the seven days up to today. A month
    without a year is the latest that has begun, `last March` the latest that is over, `Monday` the latest before today.

    :param words: as `ENGLISH_PERIOD` finds them.
    :param today: the day from which the words are spoken.
    """
    text = " ".join(words.lower().replace(",", " ").split())
    if re.fullmatch(rf"today|yesterday|(?:last )?{_WEEKDAY}", text):
        return day_of(_english_day(text.removeprefix("last "), today))
    if match := re.fullmatch(
        rf"(the )?(last|past|previous|this) (?:({_COUNT}) )?(day|week|month|quarter|year)s?", text
    ):
        rolling = bool(match[1] and match[2] == "last") or match[2] == "past" or bool(match[3])
        count = _COUNTS.get(match[3] or "a") or int(match[3])
        return _back(match[4], count, today) if rolling else _whole(match[4], match[2] != "this", today)
    if match := re.fullmatch(rf"(?:(last|this) )?({_MONTH})", text):
        return _latest_month(_month_number(match[2]), today, over=match[1] == "last")
    if year := re.search(_YEAR, text):
        return _english_part(text, int(year[0]))
    return None


def chinese_period(words: str, today: datetime.date) -> Period | None:
    """Return the period that is meant, or None for a date that no calendar has.

    A month without a year is the latest that has begun, 周一 the latest before today.

    :param words: as `CHINESE_PERIOD` finds them.
    :param today: the day from which the words are spoken.
    """
    text = re.sub(r"\s|的", "", words)
    if text in ("今天", "昨天", "前天"):
        return day_of(today - DAY * ("今天", "昨天", "前天").index(text))
    if match := re.fullmatch(r"([本这上]?)个?(?:周|星期)([一二三四五六日天])", text):
        return day_of(_han_day(match[1], match[2], today))
    if match := re.fullmatch(rf"(?:最近|近|过去)({_HAN_NUMBER})个?(天|周|星期|月|年|季度)", text):
        return _han_back(match[1], _HAN_UNITS[match[2]], today)
    if match := re.fullmatch(r"(本|这一?个?|上[个一]?)(周|星期|礼拜|月|季度)", text):
        return _whole(_HAN_UNITS[match[2]], match[1].startswith("上"), today)
    return _han_month_or_year(text, today)


_HAN_UNITS = {
    "天": "day", "周": "week", "星期": "week", "礼拜": "week", "月": "month", "季度": "quarter", "年": "year",
}  # fmt: skip


def _english_day(text: str, today: datetime.date) -> datetime.date:
    if text in ("today", "yesterday"):
        return today if text == "today" else today - DAY
    return _weekday_before(today, _WEEKDAYS.index(text[:3]))


def _han_day(before: str, weekday: str, today: datetime.date) -> datetime.date:
    number = "一二三四五六日".index(weekday.replace("天", "日"))
    if not before:
        return _weekday_before(today, number)
    return today - DAY * (today.weekday() - number + 7 * (before == "上"))


def _weekday_before(today: datetime.date, weekday: int) -> datetime.date:
    return today - DAY * ((today.weekday() - weekday - 1) % 7 + 1)


def _han_month_or_year(text: str, today: datetime.date) -> Period | None:
    if match := re.fullmatch(rf"(今年|去年|前年|{_YEAR}年)度?(.*)", text):
        named = ("今年", "去年", "前年")
        year = today.year - named.index(match[1]) if match[1] in named else int(match[1][:4])
        return _han_part(match[2], year)
    if re.fullmatch(_HAN_MONTH, text):
        return _latest_month(_han_number(text.partition("月")[0]), today, over=False)
    return None


def _whole(unit: str, previous: bool, today: datetime.date) -> Period:
    if unit == "week":
        monday = today - DAY * (today.weekday() + 7 * previous)
        return Period(monday, monday + DAY * 6)
    if unit == "month":
        return months(today.year, today.month - previous, 1)
    if unit == "quarter":
        return months(today.year, (today.month - 1) // 3 * 3 + 1 - 3 * previous, 3)
    return months(today.year - previous, 1, 12) if unit == "year" else day_of(today - DAY * previous)


def _back(unit: str, count: int, today: datetime.date) -> Period:
    """Return the days from so long ago until today."""
    if unit in ("day", "week"):
        return Period(today - DAY * count * (7 if unit == "week" else 1), today)
    past = months(today.year, today.month - count * {"month": 1, "quarter": 3, "year": 12}[unit], 1)
    if past.first is None or past.last is None:
        return past
    return Period(min(past.first + DAY * (today.day - 1), past.last), today)


def _han_back(number: str, unit: str, today: datetime.date) -> Period | None:
    if number != "半":
        return _back(unit, _han_number(number), today)
    halves = {"year": ("month", 6), "month": ("day", 15)}
    return _back(*halves[unit], today) if unit in halves else None


def _latest_month(month: int, today: datetime.date, over: bool) -> Period:
    this_year = month < today.month or (month == today.month and not over)
    return months(today.year if this_year else today.year - 1, month, 1)


def _english_part(text: str, year: int) -> Period | None:
    if match := re.search(r"\bq([1-4])|(first|second|third|fourth) quarter", text):
        return months(year, (int(match[1]) if match[1] else _ORDINALS.index(match[2]) + 1) * 3 - 2, 3)
    if match := re.search(r"\bh([12])\b|(first|second) half", text):
        return months(year, 7 if match[1] == "2" or match[2] == "second" else 1, 6)
    if month := re.search(_MONTH, text):
        day = re.search(r"\b(\d{1,2})(?!\d)", text)
        return _calendar(year, _month_number(month[0]), int(day[1]) if day else None)
    return parse_period(text)


def _han_part(text: str, year: int) -> Period | None:
    if not text:
        return months(year, 1, 12)
    if "半年" in text:
        return months(year, 1 if text[0] == "上" else 7, 6)
    if match := re.search(r"第?([一二三四1-4])季度|[Qq]([1-4])", text):
        return months(year, _han_number(match[1] or match[2]) * 3 - 2, 3)
    month, _, rest = text.partition("月")
    day = re.search(r"\d+", rest)
    return _calendar(year, _han_number(month), int(day[0]) if day else None)


def _calendar(year: int, month: int, day: int | None) -> Period | None:
    try:
        start = datetime.date(year, month, day or 1)
    except ValueError:
        return None
    return day_of(start) if day else month_of(start)


def _month_number(name: str) -> int:
    return _MONTH_NAMES.index(name[:3]) + 1


def _han_number(text: str) -> int:
    if text.isdecimal():
        return int(text)
    return 10 + _DIGITS[text[1]] if len(text) == 2 else _DIGITS[text]
