"""Questions that ask for a number, and sentences that give one."""

import re
from decimal import Decimal

from components.text.number_words import values_of

_ASKS = re.compile(
    r"\bhow (?:many|much|long|often|far|fast|large|big|high|low|old|heavy|deep|wide|late|early|tall|small|hot|cold)\b"
    r"|\bwhen\b|\bwhat (?:is |was |are |were )?(?:the )?(?:\w+ )?(?:year|date|time|percentage|share|number|amount|size"
    r"|price|costs?|rate|score|value|length|maximum|minimum|limit)\b"
    r"|多少|几(?![乎何])|多[久长大高快重远深宽厚]|何时|什么时候|百分之几|哪[一]?[年天日月]",
    re.IGNORECASE,
)
ONE = Decimal(1)
"""`one` and 一 are articles oftener than numbers."""


def asks_for_number(query: str) -> bool:
    """Return whether a question asks how much, how many, or when.

    :param query: in English or Chinese; others never do.
    """
    return _ASKS.search(query) is not None


def gives_number(sentence: str, query: str) -> bool:
    """Return whether a sentence holds a number that the question does not.

    :param sentence: a part of a passage.
    :param query: the question.
    """
    return bool(values_of(sentence) - values_of(query) - {ONE})
