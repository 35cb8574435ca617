"""What turns a sentence into its opposite: negation, and words of a pair such as increase and decrease."""

import re
from collections.abc import Sequence

from components.text.tokenizer import tokenize

_NOT_NEGATING = re.compile(
    r"\b(?:no|not) (?:more|less|fewer|later|earlier|higher|lower|longer|only|least)\b(?: than)?|\bnot just\b|\bno\. ?\d"
    r"|不(?:超过|少于|多于|低于|高于|晚于|早于|大于|小于|同|仅|只是?|断|限于|过(?!期))|(?:是否|能否|可否)|差不多|不得超过|不得(?:少|多|低|高)于"
    r"|来不及|不得不|非常|未来|无论|无线|无尘|无损",
    re.IGNORECASE,
)
_NEGATION = re.compile(
    r"\b(?:not|never|no|none|nobody|nothing|neither|nor|without|cannot|forbidden|prohibited|refuses?|rejected)\b|n't\b"
    r"|不(?:得|会|能|再|可|予|应|要|用|须|是|准|许)?|没有?|未|无须|无需|无法|无|禁止|严禁|切勿|勿|拒绝|并非|从不|绝不",
    re.IGNORECASE,
)
# one pair a line: the words of one side, a bar, those of the other; English ones as the tokenizer stems them
_OPPOSITES = """
increas rise rose grow grew rais gain 增长 增加 上升 提高 升高 上涨 扩大
    | decreas fall fell drop reduc declin shrink lose 下降 减少 降低 下跌 下滑 缩小
more above over exceed greater 超过 以上 高于 多于 大于 | less fewer below under 不足 以下 低于 少于 小于
higher highest 最高 更高 | lower lowest 最低 更低
faster fastest quicker 更快 最快 | slower slowest 更慢 最慢
maximum 最大 最多 至多 | minimum 最小 最少 至少
befor 之前 以前 | after 之后 以后
first earliest 首先 最早 | last latest 最后 最晚
alway everi all everybodi 总是 全部 所有 一律 全体 | never none nobodi 从不 没有
open 开放 开馆 营业 | close shut 关闭 闭馆 停业 歇业
enabl on 开启 启用 打开 | disabl off cut 关闭 停用 禁用 切断
allow permit may 允许 可以 | forbid forbidden prohibit 禁止 不得 不允许
oblig mandatori requir must 必须 强制 | option voluntari 可选 自愿 无须
public 公开 | confidenti secret 保密
better best 更好 最好 | wors worst 更差 最差
stronger strengthen 增强 加强 | weaker weaken 减弱
"""
_PAIRS = [
    tuple(side.split() for side in line.split("|")) for line in _OPPOSITES.replace("\n    |", " |").strip().splitlines()
]
_BOUNDS = {
    "lower": re.compile(
        r"\bat least\b|\bno (?:less|fewer) than\b|\bminimum\b|至少|不少于|不低于|最少|起码", re.IGNORECASE
    ),
    "upper": re.compile(
        r"\bat most\b|\bno (?:more|longer|later|higher) than\b|\bup to\b|\bmaximum\b|\bwithin\b"
        r"|至多|最多|不超过|不得超过|不多于|不高于|上限|以内|之内|最高",
        re.IGNORECASE,
    ),
}
_PROHIBITION = re.compile(
    r"\b(?:do not|don't|must not|may not)\b|(?:^|[.;:!|>-])\s*never\b|不要|请勿|切勿|严禁|禁止", re.IGNORECASE
)
_RULE = re.compile(
    r"\b(?:do|don't|may|can|can't|cannot|must|mustn't|should|shouldn't|ought|need|never|always|allowed|permitted|forbidden"
    r"|prohibited)\b|必须|应当?|需要?|要|可以?|能|允许|禁止|严禁|请|勿|不得",
    re.IGNORECASE,
)
SCOPE = 5
"""Tokens after a negation, in its clause, that it may deny."""
_CLAUSE_END = re.compile(r"[,，;；。]")


def is_negated(text: str) -> bool:
    """Whether a sentence denies something: an odd number of negations, as two take each other back.

    :param text: a sentence; `no more than`, `不超过` and the like are bounds, not negations.
    """
    return len(_NEGATION.findall(_NOT_NEGATING.sub(" ", text))) % 2 == 1


def is_prohibition(text: str) -> bool:
    """Whether a sentence forbids something: it says nothing of how things are.

    :param text: a sentence.
    """
    return _PROHIBITION.search(text) is not None


def is_rule(text: str) -> bool:
    """Whether a sentence says what is to be done, or may be, so that a prohibition can deny it.

    :param text: a sentence.
    """
    return _RULE.search(text) is not None


def denied_tokens(text: str) -> set[str]:
    """Return the tokens that stand right behind a negation and nowhere else: what is denied.

    :param text: a sentence.
    """
    before, *behind = _NEGATION.split(_NOT_NEGATING.sub(" ", text))
    affirmed, denied = set(tokenize(before)), set()
    for part in behind:
        clause, _, others = part.partition(mark[0]) if (mark := _CLAUSE_END.search(part)) else (part, "", "")
        tokens = tokenize(clause)
        denied.update(tokens[:SCOPE])
        affirmed.update([*tokens[SCOPE:], *tokenize(others)])
    return denied - affirmed


def without_polarity(text: str) -> str:
    """Return a sentence without its negations: what it says or denies."""
    return _NEGATION.sub(" ", _NOT_NEGATING.sub(" ", text))


def opposites(claim: str, statement: str) -> list[tuple[str, str]]:
    """Return the pairs of opposite words of which the claim has one and the statement the other, and neither both."""
    claimed, said = _Words(claim), _Words(statement)
    found = []
    for ones, others in _PAIRS:
        for mine, theirs in ((ones, others), (others, ones)):
            word, opposite = claimed.first(mine), said.first(theirs)
            if word and opposite and not claimed.first(theirs) and not said.first(mine):
                found.append((word, opposite))
    return found


def bounds(text: str) -> set[str]:
    """Return `lower` for at least, `upper` for at most, both or none."""
    return {name for name, pattern in _BOUNDS.items() if pattern.search(text)}


class _Words:
    def __init__(self, text: str) -> None:
        self.text = text.lower()
        self.stems = set(tokenize(text))

    def first(self, spellings: Sequence[str]) -> str:
        return next((s for s in spellings if (s in self.stems if s.isascii() else s in self.text)), "")
