"""Plain negation: whether two sentences deny the same."""

import re
from collections.abc import Sequence
from functools import lru_cache

from khub.components.text.stopwords import without_stopwords
from khub.components.text.tokenizer import tokenize
from khub.components.verify.clauses import CLAUSE_END

# denies no more than this word: not more than one, not only red, 不同
_PHRASE = re.compile(
    r"(\bnot? |n't |不[应能可得会要该]?)?"
    r"(?:\b(?:(?:more|less|fewer|later|earlier|higher|lower|longer|greater) than|only|just|least)\b"
    r"|超过|少于|多于|低于|高于|晚于|早于|大于|小于|同|仅仅?|只)",
    re.IGNORECASE,
)
# holds the character of a negation only
_NO_NEGATION = re.compile("不断|不过(?!期)|[是能可]否|差不多|不得不|非常|未来|无论|无线|[删清解消扣免去移拆排]除")
_NEGATION = re.compile(
    r"\b(?:no longer|not|never|no|none|nobody|nothing|neither|nor|without|cannot|except|unless|hardly|rarely|impossible"
    r"|unable|forbid(?:s|den)?|prohibit(?:s|ed)?|refuse[sd]?|reject(?:s|ed)?)\b|n't\b"
    r"|不[会能可再应该要用须准得予]?|没有?|未|无[法需须]?|勿|禁止|严禁|拒绝|并?非|除",
    re.IGNORECASE,
)
SCOPE = 5
"""Words after a negation, in its clause, that it may deny."""
DENIED_CHARACTERS = 200
"""So much after a negation is looked at for them."""


def denied_by_one(claim: str, text: str) -> str | None:
    """Return the word by which one of two sentences of a language denies what the other says.

    :returns: "" where both deny the same, or nothing; None where it cannot be told.
    """
    ours, theirs = negations(claim), negations(text)
    ways = [{bool(denied) for denied in _PHRASE.findall(side)} for side in (claim, text)]
    if ways[0] ^ ways[1] == {True, False}:
        return None  # only one, not only one
    if len(ours) == len(theirs):
        others = {denied for _, denied in theirs}
        met = (any(_meet(denied, other) for other in others) for denied in {denied for _, denied in ours})
        return "" if all(met) else None
    if len(ours) + len(theirs) == 1:
        word, denied = (ours or theirs)[0]
        if denied and denied[0] in tokenize(text if ours else claim):
            return word
    return None


@lru_cache(maxsize=256)
def negations(text: str) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Return the negations of a sentence, each with the words that it may deny."""
    text = _NO_NEGATION.sub(" ", _PHRASE.sub(" ", text))
    return tuple((match[0], _denied(text, match.end())) for match in _NEGATION.finditer(text))


def _denied(text: str, place: int) -> tuple[str, ...]:
    behind = text[place : place + DENIED_CHARACTERS]
    return tuple(without_stopwords(CLAUSE_END.split(behind, maxsplit=1)[0])[:SCOPE])


def _meet(denied: Sequence[str], other: Sequence[str]) -> bool:
    """Whether what one denies first is denied by the other one, too, and the other way round."""
    return denied == other or bool(denied and other and denied[0] in other and other[0] in denied)
