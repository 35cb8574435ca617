"""What a sentence leaves out of what it says: `all sites except Lyon`, `除里昂外，各地都`."""

import re

from components.query.stopwords import without_stopwords
from components.text.tokenizer import tokenize

_EXCEPTION = re.compile(
    r"\b(?:except(?:ing)?(?: for)?|with the exception of|excluding|other than) (?P<en>[^,，;；。.:()]+)"
    # with 还 or 也 behind it, it says what comes in addition
    r"|除(?:了|去|却)?(?P<zh>[^，,。；;除]{1,30}?)(?:之外|以外|外)(?![^。；;]{0,12}[还也又])",
    re.IGNORECASE,
)
_EACH = re.compile(r"\b(?:and|or)\b|[和与及、]|或者?", re.IGNORECASE)
MOST_TOKENS = 2
"""So many tokens behind an English `except` are sure to name what is excepted; what follows may be the verb."""


def contradicting_exception(claim: str, statement: str) -> str:
    """Return what one side excepts and the other says it of; "" where there is no such thing.

    :param claim: a sentence.
    :param statement: another, of the same language.
    """
    return _excepts(claim, statement) or _excepts(statement, claim)


def _excepts(sentence: str, other: str) -> str:
    if _EXCEPTION.search(other):
        return ""
    said = set(tokenize(other))
    for match in _EXCEPTION.finditer(sentence):
        for part in _EACH.split(match["en"] or match["zh"]):
            words = without_stopwords(part)
            named = words[:MOST_TOKENS] if match["en"] else words
            if named and said.issuperset(named):
                return match[0].strip()
    return ""
