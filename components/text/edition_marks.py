"""What tells one edition of a text from another: the newest date that it names, and the highest version."""

import datetime
import re
import unicodedata
from functools import lru_cache

from khub.components.text.dates import dates
from khub.components.text.naming import years_in

_MONTHS = (
    "jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    "|nov(?:ember)?|dec(?:ember)?"
)
_DIGITS = re.compile(r"(?<!\d)(20\d\d|19\d\d)[-_./]?(0[1-9]|1[0-2])(?:[-_./]?([0-2]\d|3[01]))?(?!\d)")
_QUARTER = re.compile(
    r"(?<!\d)(?:(?P<a>20\d\d)[-_ ]?Q(?P<b>[1-4])|Q(?P<c>[1-4])[-_/ ]?(?P<d>20\d\d)"
    r"|(?P<e>20\d\d)\s?年?\s?第?(?P<f>[一二三四1-4])\s?季度)",
    re.IGNORECASE,
)
_HAN_QUARTERS = "一二三四"
_VERSION = re.compile(
    r"(?:(?<![a-z])(?:v|ver|version|rev|revision|release|edition)|版本号?|第)[ ._:：-]*"
    r"(?P<behind>\d+(?:[._]\d+)*)(?![\d年月日季])"
    r"|(?<![\d.])(?P<before>\d+(?:\.\d+)*)\s?版",
    re.IGNORECASE,
)
_BARE = re.compile(r"(?<![\w.])\d+(?:\.\d+)+(?![\w.]?\d)")
_MARKS = re.compile(
    rf"(?<![a-z])(?:v|ver|version|rev|revision|release|edition|fy|q|{_MONTHS})(?![a-z])|[\W\d_]+"
    r"|(?<![一二三四五六七八九〇零十])[一二三四五六七八九〇零十]++(?=[年月日季版])"
    "|[年月日版]",
    re.IGNORECASE,
)


@lru_cache(maxsize=4096)
def newest_date(text: str) -> str:
    """Return the latest date that a text names, as `YYYY`, `YYYY-MM` or `YYYY-MM-DD`; "" where it names none.

    What lies further ahead than the next year is what is planned, and no date of the text.
    """
    text = unicodedata.normalize("NFKC", text)
    found = [date for date, _ in dates(text) if not date.startswith("-")]
    found += ["-".join(filter(None, match.groups())) for match in _DIGITS.finditer(text)]
    found += [_quarter(match) for match in _QUARTER.finditer(text)]
    last = str(datetime.date.today().year + 1)
    return max((date for date in (*found, *years_in(text)) if date[:4] <= last), default="")


def _quarter(match: re.Match[str]) -> str:
    year = match["a"] or match["d"] or match["e"]
    quarter = match["b"] or match["c"] or match["f"]
    number = _HAN_QUARTERS.index(quarter) + 1 if quarter in _HAN_QUARTERS else int(quarter)
    return f"{year}-{3 * number:02}"


@lru_cache(maxsize=4096)
def newest_version(text: str, bare: bool = False) -> tuple[int, ...]:
    """Return the highest version that a text names, number by number, so that 1.10 is above 1.9; () for none.

    :param bare: whether a dotted number is one without a word like "version", as in a name or a heading.
    """
    text = unicodedata.normalize("NFKC", text)
    found = [match["behind"] or match["before"] for match in _VERSION.finditer(text)]
    found += _BARE.findall(text) if bare else []
    numbers = (tuple(map(int, re.split(r"[._]", number))) for number in found)
    return max((number for number in numbers if not 1900 <= number[0] < 2100), default=())


@lru_cache(maxsize=4096)
def without_marks(text: str) -> str:
    """Return a name in small letters without what differs from edition to edition: digits, months, "version"."""
    return _MARKS.sub(" ", unicodedata.normalize("NFKC", text).casefold()).strip()
