"""The sides of a question that compares: sub-queries that each keep the words that the question says once for all."""

import re

from components.query.shared_words import completed_english, completed_han
from components.text.tokenizer import HAN

LONGEST = 200
"""In characters: a longer text is no plain comparison."""
MOST_SIDES = 3
SIDE_CHARACTERS = 120

_I = re.IGNORECASE
_COMPARATIVE = r"better|best|worse|worst|(?:more|most|less|least) [\w-]+|[\w-]+er|[\w-]+est"
_QUESTION_WORDS = (
    "what|what's|how|why|when|where|who|whose|which|does|do|did|is|are|was|were|can|could|should|will|explain|tell|find"
)
_DIFFERENCE = r"(?:differences?|distinctions?|similarit(?:y|ies)|comparison|contrast)"
_ENGLISH = [
    re.compile(
        r"(?:please |can you |could you |help me (?:to )?)*(?:compare|contrast|compare and contrast)\s+(?P<items>.+)",
        _I,
    ),
    re.compile(
        r"(?:please |can you |could you )*(?:(?:what(?:'s| is| are)|explain|describe|summari[sz]e|list|show|tell me"
        rf"|give me)\s+)?(?:me\s+)?(?:about\s+)?(?:(?:the|a|any)\s+)?(?:(?:main|key|major|biggest)\s+)?{_DIFFERENCE}"
        r"(?:\s+(?:in|of)\s+(?P<aspect>[^,]{1,60}?))?\s+(?:between|of)\s+(?P<items>.+)",
        _I,
    ),
    re.compile(r"how (?:do|does|did|is|are)\s+(?P<items>.+?\s+(?:differ(?:ent)? from|compared? (?:to|with))\s+.+)", _I),
    re.compile(
        r"how (?:do|does|did|are)\s+(?!i |we |you |they |people )(?P<items>.+?\s+and\s+.+?)\s+"
        r"(?:differ|compare|different)\b(?P<tail>.*)",
        _I,
    ),
    re.compile(rf"which (?:one )?is (?:the )?(?P<aspect>{_COMPARATIVE}),?:?\s+(?P<items>.+?\s+or\s+.+)", _I),
    re.compile(
        rf"which (?:one )?is (?:the )?(?P<aspect>{_COMPARATIVE}),?\s+(?P<items>.+?\s+(?:vs\.?|versus)\s+.+)", _I
    ),
    re.compile(
        r"(?P<items>.+?\s+(?:vs\.?|versus|compared? (?:to|with)|or)\s+.+?)[,:;.?]\s+"
        r"which (?:one )?(?:is|has|should i use)(?: (?:the|a))?(?: (?P<aspect>.+))?",
        _I,
    ),
    re.compile(rf"(?!(?:{_QUESTION_WORDS})\b)(?P<items>.+?\s+(?:vs\.?|versus)\s+.+)", _I),
]
_VERSUS = re.compile(r"\s+(?:vs\.?|versus|differ(?:ent)? from|compared? (?:to|with))\s+", _I)
_WITH = re.compile(r"\s+with\s+", _I)
_AND = re.compile(r"\s*,?\s+(?:and|or|&)\s+|\s*,\s+", _I)
_TO = re.compile(r"\s+to\s+", _I)
_ENGLISH_TAIL = re.compile(
    r",?\s+(?:in terms of|regarding|concerning|with (?:respect|regard) to|when it comes to|based on|by|on)\s+"
    r"(?P<tail>.+)$",
    _I,
)

_FREE = "(?<=[A-Za-z0-9\\s])对比(?=[A-Za-z0-9\\s])"
_EMPTY_ASPECTS = ("better", "best", "worse", "the better", "the best", "good")

_WHAT = (
    r"(?:有什么|有何|有哪些|有啥|有没有|是什么|的|之间的|之间有什么|之间有哪些|有多大|到底有什么|存在什么|存在哪些)?"
)
_HAS = "(?:有什么|有何|有哪些|有着?怎样的|有着?什么样的)"
_KINDS_OF_DIFFERENCE = (
    "(?:[一两几三]个)?(?:主要|本质|具体|根本|最大)?(?:的)?"
    "(?:区别|不同|不一样|差别|差异|异同|不同点|不同之处|相同点|相同和不同|优缺点对比|优劣)"
)
_HAN = [
    re.compile(
        r"(?:在)?(?P<head>[^，,]{1,30}?)(?:方面|上)?[，,]\s*(?P<items>.+?)(?:之间|相比|相比较|比较|对比)?(?:的)?"
        rf"{_WHAT}{_KINDS_OF_DIFFERENCE}(?:是什么|有哪些|在哪里?|在哪儿|在于什么|如何|呢|吗)*"
    ),
    re.compile(
        r"(?P<items>.+?)(?:之间|相比|相比较|比较|对比|比起来)?[，,]?在(?P<aspect>.{1,30}?)(?:方面|上|这一点上|中)?"
        rf"(?:的|都)?{_WHAT}{_KINDS_OF_DIFFERENCE}(?:是什么|有哪些|在哪里?|呢|吗)*"
    ),
    re.compile(
        rf"(?P<items>.+?)(?:之间|相比|相比较|比较|对比|比起来)?[，,]?{_WHAT}{_KINDS_OF_DIFFERENCE}"
        r"(?:是什么|有哪些|在哪里?|在哪儿|在于什么|在于哪里|如何|呢|吗)*"
    ),
    re.compile(
        r"(?P<items>.+?)(?:之间|相比|相比较|比较|对比|比起来|之中|当中)?[，,：:]?(?:到底)?(?:哪个|哪一个|哪种|哪一种|哪款|哪家|谁)"
        r"(?:的)?(?P<aspect>.{0,20}?(?:更|最|比较|好).{0,10}?)(?:一些|一点|些)?(?:呢|吗)*"
    ),
    re.compile(r"(?:如何|怎么|怎样|怎么样)(?:区分|区别|分辨|辨别|选择)(?P<items>.+?)"),
    re.compile(
        r"(?:对比|比较|比对|对照)(?!学习|度|色|文学|法|优势|研究|级|大|小|多|少|好|高|低)(?:分析)?(?:一下|下)?(?P<items>.+?)(?:之间)?(?:的)?(?:区别|不同|差别|差异|异同)?"
    ),
    re.compile(r"(?P<items>.+?)(?:之间)?的?(?:对比|比较)(?:一下)?(?:如何|怎么样|怎样|呢)*"),
    re.compile(
        rf"(?P<items>.+?)(?:相比较?|比较|比起来)[，,]?(?:都|各)?{_HAS}(?P<aspect>[^，,]{{1,8}}?)(?:呢|吗)*",
    ),
    re.compile(
        rf"(?P<items>.+?\s*(?:vs\.?|{_FREE}|相比较?于?|相较于?)[，,]?\s*.+?)"
        rf"(?:怎么样|如何|呢|{_HAS}(?P<aspect>[^，,]{{1,8}}?))*",
        _I,
    ),
]
_HAN_POLITE = re.compile(
    "^(?:请问一下|请问|请|麻烦|帮我|帮忙|给我|能不能|能否|可以|我想知道|想知道|我想了解|告诉我|介绍一下|介绍|说明一下|说明|解释一下|解释|说说"
    "|如何理解|怎么理解|怎样理解|说一下|讲讲|讲一下|分析一下|分析|列出|总结一下|总结)+"
)
_HAN_NO_SIDE = re.compile("为什么|为何|谁|哪|什么|多少|何时|怎么|如何|怎样|是否|有没有|(?:没|没有|无)$")
_HAN_WITH = re.compile("^(?:与|跟|和(?!平|谐|解))(?=.*(?:相比|比较|比起来))")
# words in which 和, 与 and the like join nothing; but in 客户端和服务器, 服 is the beginning of the next word
_HAN_WHOLE = re.compile(
    "和平(?![台板均面])|和谐|和解(?![决释压码密析锁除])|和睦|和约(?![束定])|和缓(?![存冲])|和田|和服(?!务)|和声(?![音明称])|和弦|和尚"
    "|和风(?![险扇格])|共和|温和|饱和|总和|缓和|柔和|亲和|随和|祥和|调和|中和|附和|求和|之和|参与|与会|与其"
    "|给与|赋与|与否|与众不同|跟踪|跟进|跟随|跟单|以及其|或许|或然"
)
_HAN_JOINT = re.compile(
    rf"\s*(?:、|[，,]\s*(?:还有|以及|和|与)|以及|还有|还是|或者|相比较?于?[，,]?|相较于?|{_FREE}|\bvs\b\.?|\bVS\b\.?|和|与|跟|及|或)\s*"
)
_ANY_HAN = re.compile(f"[{HAN}]")
_CLOSING = " \t\n?？!！.。,，;；:：、"


def sides_of(question: str) -> list[str]:
    """Return what a question compares.

    :param question: one line.
    :returns: two or three different sub-queries in the order asked ("compare the deductible of plan A and plan B" ->
        "deductible of plan A", "deductible of plan B"); none where the question is no plain comparison, or has more
        sides than three.
    """
    text = question.strip(_CLOSING)
    if len(text) > LONGEST:
        return []
    sides = (_han(text) if _ANY_HAN.search(text) else []) or _english(text)
    sides = [side.strip(_CLOSING) for side in sides]
    different = {side.casefold() for side in sides}
    fit = all(len(side) <= SIDE_CHARACTERS and any(map(str.isalnum, side)) for side in sides)
    return sides if 2 <= len(sides) <= MOST_SIDES and len(different) == len(sides) and fit else []


def _english(text: str) -> list[str]:
    for pattern in _ENGLISH:
        match = pattern.fullmatch(text)
        if match is None:
            continue
        named = match.groupdict()
        items, tail = named["items"], (named.get("tail") or "").strip()
        if trailing := _ENGLISH_TAIL.search(items):
            items, tail = items[: trailing.start()], trailing["tail"]
        parts = [part.strip() for part in _split(items)]
        if len(parts) >= 2 and all(parts):
            aspect = named.get("aspect") or ""
            context = " ".join(word for word in (aspect if aspect not in _EMPTY_ASPECTS else "", tail) if word)
            return [f"{side} {context}".strip() for side in completed_english(parts)]
    return []


def _split(items: str) -> list[str]:
    """Cut at "vs"; else at "with", "and" and commas; else at "to"."""
    if _VERSUS.search(items):
        return _VERSUS.split(items)
    parts = [part for side in _WITH.split(items) for part in _AND.split(side)]
    return parts if len(parts) > 1 else _TO.split(items)


def _han(text: str) -> list[str]:
    text = _HAN_POLITE.sub("", text)
    for pattern in _HAN:
        match = pattern.fullmatch(text)
        if match is None:
            continue
        named = match.groupdict()
        parts = _split_han(_HAN_WITH.sub("", named["items"]))
        if len(parts) >= 2:
            head = (named.get("head") or "").removeprefix("在")
            aspect = re.sub("^(?:更|最|比较|好)+|(?:更|最|比较)", "", named.get("aspect") or "")
            context = " ".join(word for word in (head, aspect) if word)
            return [f"{side} {context}".strip() for side in completed_han(parts)]
    return []


def _split_han(items: str) -> list[str]:
    kept = [match.span() for match in _HAN_WHOLE.finditer(items)]
    parts, start = [], 0
    for joint in _HAN_JOINT.finditer(items):
        if not any(first < joint.end() and joint.start() < last for first, last in kept):
            parts.append(items[start : joint.start()].strip())
            start = joint.end()
    parts.append(items[start:].strip())
    return [] if any(not part or _HAN_NO_SIDE.search(part) for part in parts) else parts
