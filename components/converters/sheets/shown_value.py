"""Values of a spreadsheet's cells as the sheet shows them."""

import datetime
import re
from typing import Any

_SECTION = re.compile(r'"[^"]*"|\\.|_.|\*.|\[[^\]]*\]|[^;]')
_LITERAL = re.compile(r'"([^"]*)"|\\(.)|_(.)|\*(.)|\[([^\[\]]*+)\]')
_DIGITS = re.compile(r"[#0?][#0?,]*(?:\.[#0?]*)?,*")
_FORMULA = re.compile(r"=(_xlfn\.)?DISPIMG\(")


def shown(value: Any, number_format: str = "General") -> str:
    """Return a value as text on one line.

    Dates and times are written in ISO 8601, which means the same everywhere, as far as the format shows them.

    :param value: as openpyxl gives it.
    :param number_format: the cell's format in Excel's notation.
    :returns: the text; "" for None.
    """
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, int | float):
        return _number(value, number_format)
    if isinstance(value, datetime.datetime | datetime.timedelta | datetime.time):
        return _of_time(value, number_format)
    text = " ".join(str(value).split())
    return "" if _FORMULA.match(text) else text


def _of_time(value: datetime.datetime | datetime.timedelta | datetime.time, number_format: str) -> str:
    if isinstance(value, datetime.datetime):
        return _moment(value, number_format)
    return _time(value) if isinstance(value, datetime.time) else _duration(value, number_format)


def _duration(value: datetime.timedelta, number_format: str) -> str:
    """Return a duration as hours that go on past a day, or as minutes or seconds where the format counts these."""
    codes = _LITERAL.sub(lambda found: found[0] if found[5] else "", number_format).lower()
    sign = "-" if value < datetime.timedelta() else ""
    seconds = round(abs(value).total_seconds())
    minutes, rest = divmod(seconds, 60)
    if "[s" in codes:
        return f"{sign}{seconds}"
    if "[m" in codes:
        return f"{sign}{minutes}:{rest:02}" if "s" in codes else f"{sign}{minutes}"
    hours, minutes = divmod(minutes, 60)
    return f"{sign}{hours}:{minutes:02}" + (f":{rest:02}" if "s" in codes else "")


def _moment(value: datetime.datetime, number_format: str) -> str:
    codes = _LITERAL.sub("", number_format).lower()
    if "y" in codes and "d" not in codes and "h" not in codes:
        return f"{value:%Y-%m}" if "m" in codes else f"{value:%Y}"
    if not {"y", "d"} & set(codes) and {"h", "s"} & set(codes):  # only its time is shown, however many days it has
        return _time(value.time())
    text = value.isoformat(" ", "seconds")
    return (
        text.removesuffix(" 00:00:00").removesuffix(":00") if text.endswith(" 00:00:00") or "s" not in codes else text
    )


def _time(value: datetime.time) -> str:
    return value.isoformat("seconds").removesuffix(":00")


def _number(value: float, number_format: str) -> str:
    general = f"{value:.15g}" if isinstance(value, float) else str(value)
    sections = _sections(number_format)
    if len(sections) > 1 and value < 0:
        section, value = sections[1], -value
    elif len(sections) > 2 and value == 0:
        section = sections[2]
    else:
        section = sections[0]
    code = _LITERAL.sub(_literal, section)
    digits = _DIGITS.search(re.sub("\ue000[^\ue000\ue001]*+\ue001", lambda found: "\ue002" * len(found[0]), code))
    if digits is None and _is_literal(code):
        return " ".join(re.sub("[\ue000\ue001]", "", code).split())
    if digits is None or "General" in section or "/" in code or section.strip() == "@":
        return general
    before, after = code[: digits.start()], code[digits.end() :]
    if re.match(r"[eE][+-]", after):
        return f"{value:.{_decimals(digits[0])[0]}E}"
    if "%" in before + after:
        value *= 100
    number = _written(value, digits[0])
    return " ".join(re.sub("[\ue000\ue001]", "", before + number + after).split())


def _sections(number_format: str) -> list[str]:
    sections = [""]
    position = 0
    while position < len(number_format):
        token = _SECTION.match(number_format, position)
        if token is None:
            sections.append("")
            position += 1
            continue
        sections[-1] += token[0]
        position = token.end()
    return sections


def _is_literal(code: str) -> bool:
    """Whether a section says a text instead of the number."""
    return bool(code) and "@" not in code and not re.search(r"\w", re.sub("\ue000[^\ue000\ue001]*+\ue001", "", code))


def _literal(found: re.Match[str]) -> str:
    quoted, escaped, _, _, bracket = found.groups()
    text = quoted or escaped or ""
    if bracket and bracket.startswith("$"):
        text = bracket[1:].partition("-")[0]
    return f"\ue000{text}\ue001" if text else ""


def _written(value: float, digits: str) -> str:
    scale = len(digits) - len(digits.rstrip(","))
    digits = digits.rstrip(",")
    whole = digits.partition(".")[0]
    value /= 1000**scale
    required, allowed = _decimals(digits)
    text = f"{abs(value):,.{allowed}f}" if "," in whole else f"{abs(value):.{allowed}f}"
    while allowed > required and text.endswith("0"):
        text, allowed = text[:-1], allowed - 1
    text = text.removesuffix(".")
    number, _, decimals = text.partition(".")
    number = number.zfill(whole.count("0"))
    text = f"{number}.{decimals}" if decimals else number
    return f"-{text}" if value < 0 and text.strip("0.,") else text


def _decimals(digits: str) -> tuple[int, int]:
    """Return how many decimals a format requires and how many it allows."""
    decimals = digits.partition(".")[2].rstrip(",")
    return decimals.count("0"), min(len(decimals), 30)
