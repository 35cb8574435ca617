"""Names, codes and versions that a question names and no passage holds."""

import re
from collections.abc import Sequence

from components.query.stopwords import ENGLISH
from components.stores.sparse_index import Expansion, SparseIndex
from components.text.tokenizer import HAN, tokenize, tokenize_phrase

_CODE = re.compile(r"(?=.*\d)(?=.*[a-z.])(?!fy ?\d)[\x21-\x7e]{2,}")
_WORD = re.compile(r"[A-Za-z][A-Za-z0-9]*")
_NAME = re.compile(r"(?!FY\d)[A-Z][A-Za-z0-9]{2,}")
_BEGINS = re.compile(r"(?:^|(?<=\w)(?=\W*[.!?:;\n]))\W*+$")
_POSSESSIVE = re.compile(r"['’]s\b")
_HAN = re.compile(f"[{HAN}]")


def unknown_names(
    index: SparseIndex, text: str, terms: Sequence[str], expansions: Sequence[Expansion] = ()
) -> list[str]:
    """Return the names and codes of a question that do not occur: what is found without them is about something else.

    :param index: the collection's.
    :param text: the question. A word in Latin letters with a capital is a name, unless most of them have one; the first
        of an English sentence only as "Tesla's" and "TESLA", and where it is no sentence but words: "Tesla revenue".
    :param terms: tokens of the question; one with a digit, and a letter or a point, is a code (`e-4013`, `5.0`), a
        fiscal year is none.
    :param expansions: other words for some of the terms; one whose other word occurs counts as if it occurred.
    :returns: in lower case, each once; not those that are a part of another.
    """
    codes = [term for term in dict.fromkeys(terms) if _CODE.fullmatch(term)]
    names = [name for name in _names(text) if set(tokenize_phrase(name)) <= set(terms)]
    unknown = [one for one in codes if not index.coverage([one], expansions)]
    unknown += [name.lower() for name in names if not index.coverage(tokenize_phrase(name), expansions)]
    return [one for one in dict.fromkeys(unknown) if not any(one != other and one in other for other in unknown)]


def _names(text: str) -> list[str]:
    words = _WORD.findall(text)
    capitals = [word for word in words[1:] if word[0].isupper()]
    if len(words) > 3 and 2 * len(capitals) > len(words):
        return []
    sentence = not ENGLISH.isdisjoint(tokenize(text))
    return [found[0] for found in _NAME.finditer(text) if _stands_for_a_name(text, found, sentence)]


def _stands_for_a_name(text: str, found: re.Match[str], sentence: bool) -> bool:
    start, end = found.span()
    within_a_word = start > 0 and text[start - 1].isascii() and (text[start - 1].isalnum() or text[start - 1] in "_-./")
    begins = sentence and _BEGINS.search(text[:start]) is not None and not _HAN.search(text)
    return not within_a_word and (not begins or found[0].isupper() or _POSSESSIVE.match(text, end) is not None)
