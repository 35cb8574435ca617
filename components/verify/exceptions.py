"""What a sentence leaves out of what it says: `all sites except Lyon`, `除里昂外，各地都`."""

import re

from components.query.stopwords import without_stopwords
from components.text.tokenizer import tokenize
from components.verify.polarity import is_negated, opposites

_EXCEPTION = re.compile(
    r"\b(?:except(?:ing)?(?: for)?|with the exception of|other than) (?P<en>[^,，;；。.:()]+)"
    # with 还 or 也 behind it, it says what comes in addition
    r"|除(?:了|去|却)?(?P<zh>[^，,。；;除]{1,30}?)(?:之外|以外|外)(?![^。；;]{0,12}[还也又])",
    re.IGNORECASE,
)
# what may say the same in other words; too many of them rather than too few, since to contradict wrongly does most harm
_OTHERWISE = re.compile(
    r"\b(?:but|exclud\w*|only|alone|without|apart from|save|plus|net of|rest|others?|remaining)\b"
    "|除|以外|之外|其余|其他|其它|只|仅|唯一|另",
    re.IGNORECASE,
)
_EACH = re.compile(r"\b(?:and|or)\b|[和与及、]|或者?", re.IGNORECASE)
MOST_TOKENS = 2
"""So many tokens behind an English `except` are sure to name what is excepted; what follows may be the verb."""


def contradicting_exception(claim: str, statement: str) -> str:
    """Return what one side excepts and the other says it of; "" where there is no such thing.

    Where one of them denies something, an exception may say the same as the other: then there is none, either.

    :param claim: a sentence.
    :param statement: another, of the same language.
    """
    if is_negated(claim) or is_negated(statement) or opposites(claim, statement):
        return ""
    return _excepts(claim, statement) or _excepts(statement, claim)


def _excepts(sentence: str, other: str) -> str:
    if _EXCEPTION.search(other) or _OTHERWISE.search(other):
        return ""
    said = set(tokenize(other))
    for match in _EXCEPTION.finditer(sentence):
        for part in _EACH.split(match["en"] or match["zh"]):
            words = without_stopwords(part)
            named = words[:MOST_TOKENS] if match["en"] else words
            if named and said.issuperset(named):
                return match[0].strip()
    return ""
