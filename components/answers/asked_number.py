"""Questions that ask for a number or a day, and sentences that give one."""

import re
from decimal import Decimal

from components.text.number_words import values_of

_WHEN = re.compile(
    r"(?:^|[,;] |\b(?:since|until|by|from) )when (?:is|are|was|were|do|does|did|will|has|have|had|can|could|should"
    r"|must)\b|\bwhat (?:day|date|time|month|year)\b"
    r"|何时|什么时[候间]|什么日期|哪一?(?:个月|[年天日月])",
    re.IGNORECASE,
)
_AMOUNT = (
    "(?:percent(?:age)?|share|number|amount|size|price|cost|rate|score|value|length|maximum|minimum|limit|budget|fee)"
)
_HOW_MUCH = re.compile(
    r"\bhow (?:many|much|long|often|far|fast|soon|large|big|high|low|old|heavy|deep|wide|late|early|tall|small|hot"
    rf"|cold)\b|\bwhat(?:'s| is| are| was| were) (?:the )?(?:\w+ )?{_AMOUNT}s?\b|\bwhat (?:\w+ )?{_AMOUNT}\b"
    r"|多少|(?<!茶)几(?![乎何率])|什么价格|价格是什么|(?<![很许大最太众好诸])多[久长大高快远深宽厚](?!级|程)",
    re.IGNORECASE,
)
_PLACES = re.compile(
    r"\b(?:pages?|pp?\.|sections?|chapters?|steps?|figures?|tables?|fig\.|rooms?) \d[\d.]*"
    r"|第\s?[\d一二三四五六七八九十百]+\s?[页章节条步款项]|[图表]\s?\d+",
    re.IGNORECASE,
)
_IDIOMS = re.compile("十分(?!钟|之)|千万(?=不|别|要|注意|记)|万一|百货|四[川周处]|两者")
_ONE = re.compile(
    r"(?<![\d.,])1(?![\d.,])|\bone (?=(?:second|minute|hour|day|week|month|quarter|year|time|percent)\b)"
    r"|一(?=\s?(?:个月|年|月|天|日|小时|分钟|秒|周|次|元|倍|%))",
    re.IGNORECASE,
)
_DAYS = re.compile(
    r"\b(?i:mon|tues|wednes|thurs|fri|satur|sun)days?\b|(?:周|星期|礼拜)[一二三四五六日天末]"
    r"|\b(?:January|February|March|April|May|June|July|August|September|October|November|December)\b"
    r"|\b(?:daily|weekly|monthly|yearly|noon|midnight)\b|每[天日周月年]|月底|年底|年初|月初",
)
_NO_NUMBER = {Decimal(1)}
"""`one` and 一 are articles oftener than numbers."""


def asks_for_number(query: str) -> bool:
    """Return whether a question asks how much, how many, or when.

    :param query: in English or Chinese; others never do.
    """
    return bool(_WHEN.search(query) or _HOW_MUCH.search(query))


def gives_number(sentence: str, query: str) -> bool:
    """Return whether a sentence holds a number that the question does not, or a day where that asks for one.

    A number that says where something stands (`page 12`, `第三章`) is none.

    :param sentence: a part of a passage.
    :param query: the question.
    """
    text = _IDIOMS.sub(" ", _PLACES.sub(" ", sentence))
    if values_of(text) - values_of(query) - _NO_NUMBER:
        return True
    if _ONE.search(text) and not _ONE.search(query):
        return True
    return bool(_WHEN.search(query) and _DAYS.search(text) and not _DAYS.search(query))
