"""Emoji and other symbols of a text (🚀, →, ©, ☎, €, §), which are no words."""

import re
import unicodedata

from khub.components.text.tokenizer import normalized, tokenize

OTHERS = frozenset("§¶†‡•‰※")
"""What Unicode counts as punctuation, and people look for as for a symbol."""
_VARIANTS = re.compile("[\ufe0e\ufe0f\U0001f3fb-\U0001f3ff]")
"""How an emoji is drawn: in colour or not, and with which skin."""
_CANDIDATE = re.compile(r"[\U0001f1e6-\U0001f1ff]{2}|[^\w\s\x00-\x7f]")
_PLACEHOLDERS = "\ufffc\ufffd"


def symbols_in(text: str) -> list[str]:
    """Return the different symbols of a text in their order; a flag is one, and of joined emoji each part is."""
    if text.isascii():
        return []
    found = dict.fromkeys(_CANDIDATE.findall(_VARIANTS.sub("", normalized(text))))
    return [symbol for symbol in found if is_symbol(symbol)]


def is_symbol(term: str) -> bool:
    """Say whether a term is of those that `symbols_in` returns, and not of those of `tokenize`."""
    first = term[:1]
    if (
        first.isascii()
        or first.isalnum()
        or first in _PLACEHOLDERS
        or not (len(term) == 1 or _CANDIDATE.fullmatch(term))
    ):
        return False
    return first in OTHERS or unicodedata.category(first)[0] == "S"


def index_terms(text: str) -> list[str]:
    """Return all that the keyword index holds of a text: its tokens, and behind them its symbols, each once."""
    return [*tokenize(text), *symbols_in(text)]
