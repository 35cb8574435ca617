"""Questions that ask for a number or a day, and the numbers of a sentence."""

import re

_AMOUNT = (
    "(?:percent(?:age)?|share|number|amount|size|price|cost|rate|score|value|length|maximum|minimum|limit|budget|fee)"
)
_ASKS = re.compile(
    r"(?:^|[,;] |\b(?:since|until|by|from) )when (?:is|are|was|were|do|does|did|will|has|have|had|can|could|should"
    r"|must)\b|\bwhat (?:day|date|time|month|year)\b|\bhow (?:many|much|long|often|far|fast|soon|large|big|high|low|old"
    r"|heavy|deep|wide|late|early|tall|small|hot|cold)\b"
    rf"|\bwhat(?:'s| is| are| was| were) (?:the )?(?:\w+ )?{_AMOUNT}s?\b|\bwhat (?:\w+ )?{_AMOUNT}\b"
    r"|何时|什么时[候间]|什么日期|哪一?(?:个月|[年天日月])"
    r"|多少|(?<!茶)几(?![乎何率])|什么价格|价格是什么|(?<![很许大最太众好诸])多[久长大高快远深宽厚](?!级|程)",
    re.IGNORECASE,
)
_PLACES = re.compile(
    r"\b(?:pages?|pp?\.|sections?|chapters?|steps?|figures?|tables?|fig\.) \d[\d.]*"
    r"|第\s?[\d一二三四五六七八九十百]+\s?[页章节条步款项]|[图表]\s?\d+",
    re.IGNORECASE,
)
_NUMBERS = re.compile(
    r"(?<![A-Za-z\d.-])\d+(?:[.,:/-]\d+)*|(?!十分(?!钟))[零〇二两三四五六七八九十百千万亿]+|一(?=[年月天周日])"
    r"|\b(?i:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|forty|fifty|hundred|thousand"
    r"|one (?=year|month|week|day|hour)|twice)\b"
    r"|\b(?:(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day|January|February|March|April|May|June|July|August|September|October|November|December)\b|(?:星期|周)[一二三四五六日]",
)


def asked_number(query: str) -> frozenset[str] | None:
    """Return the numbers of a question that asks how much, how many or when; None for any other.

    :param query: in English or Chinese; others never ask so.
    """
    return numbers_in(query) if _ASKS.search(query) else None


def numbers_in(text: str) -> frozenset[str]:
    """Return the numbers of a text as they stand there, but for those that say where something is (`page 12`)."""
    return frozenset(_NUMBERS.findall(_PLACES.sub(" ", text)))
