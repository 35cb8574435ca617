"""Give each side of a comparison the words that the question says once, for the first side or the last."""

import re

_ARTICLE = re.compile(r"^(?:the|a|an|both|between)\s+", re.IGNORECASE)
_PREPOSITION = re.compile(r"^(?:.*\s)?(?:of|for|in|on|at|under|by|from|with|during)\s+", re.IGNORECASE)
_PLACE = re.compile(r"\s+(?:in|for|on|at|under|during|since|from|after|before)\s+.+$", re.IGNORECASE)
_ASPECT = re.compile(
    r"\s+(?:performance|prices?|pricing|costs?|speed|latency|accuracy|features?|limits?|revenues?|profits?|sales"
    r"|requirements?|benefits|policy|policies|terms|conditions|results?|coverage|premiums?|fees?|deductibles?|warranty"
    r"|support|security|quality|size|memory|usage)$",
    re.IGNORECASE,
)
_STANDS_FOR = re.compile("(?:those|that|the (?:ones?|same)|similar|others?)\\b", re.IGNORECASE)
_NUMBER = re.compile(r"[0-9]+(?:[.,\-/][0-9]+)*")
_HAN_TAIL = re.compile(r"的(?:[^的]+)$")


def completed_english(sides: list[str]) -> list[str]:
    """Complete the sides of an English comparison.

    What stands before the word with which the next side begins, or else before the object of the first side's last
    preposition, belongs to all of them ("the deductible of | plan A and plan B"); so does what follows the last side
    ("A and B | in Germany").

    :param sides: as the question has them.
    """
    sides = [_ARTICLE.sub("", side) for side in sides]
    first, last = sides[0], sides[-1]
    head = _english_head(first, sides[1])
    tail = "" if any(map(_STANDS_FOR.match, sides)) else _english_tail([first[len(head) :], *sides[1:]])
    if head.split()[-1:] == tail.split()[:1]:
        tail = ""
    completed = []
    for side in sides:
        own = side if side == first or _has_head(side, head) else head + side
        completed.append(own if side == last or not tail or own.lower().endswith(tail.lower()) else own + tail)
    return completed


def _english_head(first: str, second: str) -> str:
    word = second.split(maxsplit=1)[0].lower()
    words = first.lower().split()
    if word in words[1:] and not _NUMBER.fullmatch(word):
        return " ".join(first.split()[: words.index(word, 1)]) + " "
    if word in words[:1]:
        return ""
    if preposition := _PREPOSITION.match(first):
        return preposition[0]
    return ""


def _english_tail(sides: list[str]) -> str:
    """Return what the last side says for all; nothing where another one has its own (A in Germany and B in France)."""
    *others, last = sides
    if any(map(_PLACE.search, others)):
        return ""
    if said := _PLACE.search(last) or _ASPECT.search(last):
        return said[0]
    number = _NUMBER.match(last)
    return last[number.end() :] if number and _NUMBER.fullmatch(others[0]) else ""


def _has_head(side: str, head: str) -> bool:
    """Say whether a side has its own words for what the head says (the price of A and the price of B)."""
    preposition = _PREPOSITION.match(side)
    if _STANDS_FOR.match(side):
        return True
    return bool(head and preposition and head.rsplit(maxsplit=1)[-1].lower() == preposition[0].split()[-1].lower())


def completed_han(sides: list[str]) -> list[str]:
    """Complete the sides of a Chinese comparison: 公司|2023年和2024年|的营收.

    :param sides: as the question has them.
    """
    first, last = sides[0], sides[-1]
    head = _han_head(first, sides[1])
    tail = ""
    if (of := _HAN_TAIL.search(last)) and last.count("的") > first[len(head) :].count("的"):
        tail = of[0]
    elif (number := _NUMBER.match(last)) and (own := _NUMBER.match(first[len(head) :])):
        rest, unit = last[number.end() :], first[len(head) + own.end() :]
        tail = rest[len(unit) :] if rest.startswith(unit) else ""
    return [
        (side if side == first or side.startswith(head) else head + side) + ("" if side == last else tail)
        for side in sides
    ]


def _han_head(first: str, second: str) -> str:
    """Return what stands before the place in the first side at which the second one takes up."""
    if _NUMBER.match(second):
        number = _NUMBER.search(first)
        return first[: number.start()] if number else ""
    at = first.find(second[:2]) if len(second) >= 2 else -1
    return first[:at] if at > 0 else ""
