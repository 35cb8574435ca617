"""Questions that ask for a number or a day, and sentences that give one."""

import re
from dataclasses import dataclass

from components.text.facts import facts_in

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
    r"\b(?:pages?|pp?\.|sections?|chapters?|steps?|figures?|tables?|fig\.) \d[\d.]*"
    r"|第\s?[\d一二三四五六七八九十百]+\s?[页章节条步款项]|[图表]\s?\d+",
    re.IGNORECASE,
)
_MONTHS = re.compile(r"\b(?:January|February|March|April|May|June|July|August|September|October|November|December)\b")
_MOMENTS = ("date", "time", "weekday")


@dataclass(frozen=True)
class AskedNumber:
    """What a question asks that a number answers.

    :param when: whether a day or a time answers it, too.
    :param known: kind and value of the facts that the question holds itself.
    :param months: whether it names a month.
    """

    when: bool
    known: frozenset[tuple[str, float | str]]
    months: bool


def asked_number(query: str) -> AskedNumber | None:
    """Return what a question asks in which how much, how many, or when is asked; None for any other.

    :param query: in English or Chinese; others never do.
    """
    when = _WHEN.search(query) is not None
    if not (when or _HOW_MUCH.search(query)):
        return None
    known = frozenset((fact.kind, fact.value) for fact in facts_in(query))
    return AskedNumber(when, known, _MONTHS.search(query) is not None)


def gives_number(sentence: str, asked: AskedNumber) -> bool:
    """Return whether a sentence holds a number that the question does not, or a day where that asks for one.

    A number that says where something stands (`page 12`, `第三章`) is none.

    :param sentence: a part of a passage.
    :param asked: see `asked_number`.
    """
    text = _PLACES.sub(" ", sentence)
    if asked.when and not asked.months and _MONTHS.search(text):
        return True
    kinds = ("number", *_MOMENTS) if asked.when else ("number",)
    return any(fact.kind in kinds and (fact.kind, fact.value) not in asked.known for fact in facts_in(text))
