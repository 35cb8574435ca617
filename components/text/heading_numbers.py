"""Numbers that headings carry: 1.1, 第三章, 一、, Chapter 4, Appendix B."""

import re
from typing import NamedTuple

_CJK_DIGITS = "一二三四五六七八九十百零〇两\\d"
_PATTERNS: list[tuple[str, int, re.Pattern[str]]] = [
    ("han", 1, re.compile(rf"第\s*[{_CJK_DIGITS}]+\s*[编篇部卷](?:分)?(?:\s|[：:]|(?=\S))")),
    ("han", 2, re.compile(rf"第\s*[{_CJK_DIGITS}]+\s*章")),
    ("han", 3, re.compile(rf"第\s*[{_CJK_DIGITS}]+\s*节")),
    ("han", 4, re.compile(r"[一二三四五六七八九十]{1,3}\s*[、．.]\s*\S")),
    ("han", 5, re.compile(r"[(（][一二三四五六七八九十]{1,3}[)）]\s*\S")),
    (
        "word",
        2,
        re.compile(
            r"(?:chapter|part|appendix|annex|item|article|section|unit|module|lesson)\s+(?:\d+|[IVXLC]+|[A-Z])\b[.:]?",
            re.IGNORECASE,
        ),
    ),
]
_DECIMAL = re.compile(r"((?:\d{1,3}|[A-Z])(?:\.\d{1,3}){1,5})\.?\s*(?=[^\W\d_]|[\"“(（《])|(\d{1,2})\.?\s+(?=[^\W\d_])")

_PREFIX = re.compile(
    rf"(?:§\s*)?(?:(?:chapter|part|appendix|annex|item|article|section|unit|module|lesson|附录|附件)\s*(?:\d+|[IVXLC]+|[A-Z])\b"
    rf"|第\s*[{_CJK_DIGITS}]+\s*[编篇部卷章节]|[一二三四五六七八九十]{{1,3}}\s*[、．.]|[(（][一二三四五六七八九十]{{1,3}}[)）]"
    r"|(?:\d{1,3}|[A-Z])(?:\.\d{1,3})+|\d{1,2}(?=[.\s]))[.:：、]?\s*",
    re.IGNORECASE,
)


class Number(NamedTuple):
    """The way a heading is numbered.

    :param kind: which way of numbering it is.
    :param depth: how deep it stands among numbers of its kind; for decimal numbers how many parts it has.
    """

    kind: str
    depth: int


def number_of(text: str) -> Number | None:
    """Return the number that a line begins with, or None."""
    for kind, depth, pattern in _PATTERNS:
        if pattern.match(text):
            return Number(kind, depth)
    decimal = _DECIMAL.match(text)
    if not decimal:
        return None
    return Number("decimal", decimal[1].count(".") + 1 if decimal[1] else 1)


def without_number(text: str) -> str:
    """Return a heading's words without the number before them; all of it where nothing else is left."""
    return text[found.end() :] or text if (found := _PREFIX.match(text)) else text
