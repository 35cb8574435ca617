"""Names, codes and versions that a question names and no passage holds."""

import itertools
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from khub.components.question import Expansion
from khub.components.retrievers.chinese_spelling import spelled_in_chinese
from khub.components.stores.keyword_index import KeywordIndex
from khub.components.text.quantities import UNITS
from khub.components.text.stopwords import ENGLISH
from khub.components.text.tokenizer import HAN, tokenize, tokenize_phrase

MOST_NAMES = 10
"""Names of a question that are looked for in Chinese; a list of more is no question."""
_CODE = re.compile(r"(?=.*\d)(?=.*[a-z.])(?!fy ?\d)[\x21-\x7e]{2,}")
_AMOUNT = re.compile(r"\d[\d.,:/-]*+(?P<unit>[a-z°%/]+)")
_ENDINGS = {*UNITS, "st", "nd", "rd", "th", "am", "pm", "a.m", "p.m", "k", "m", "bn", "x"}
"""What may follow a number without making a code of it: 3rd, 5pm, 25mm."""
_WORD = re.compile(r"[A-Za-z][A-Za-z0-9]*")
_NAME = re.compile(r"(?!FY\d)[A-Z][A-Za-z0-9]{2,}")
_PROPER = re.compile(r"[^\W\d_]+(?:['’](?!s\b)[^\W\d_]+)*")
_BETWEEN = {" ", "-", " & ", "·"}
_BEGINS = re.compile(r"(?:^|(?<=\w)(?=\W*[.!?:;\n]))\W*+$")
_POSSESSIVE = re.compile(r"['’]s\b")
_HAN = re.compile(f"[{HAN}]")
_FORMAT = re.compile(r"[YMDHS]{3,}|([A-Z])\1+|README|TODO|TBD|UTC|GMT")
"""What says how something is written, or stands in for it: YYYY of YYYY-MM-DD, XXX."""
_ORDINARY = re.compile(
    "(?i)jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    "|nov(?:ember)?|dec(?:ember)?|(?:mon|tues|wednes|thurs|fri|satur|sun)days?|mrs|prof|english|chinese"
)
"""Words with a capital for which every language has its own, so that they tell nothing."""


class Unknown(NamedTuple):
    """What does not occur of a question, in lower case.

    :param names: names and codes, each once; not those that are a part of another.
    :param elsewhere: those of them that may stand in documents of another language in a spelling that is not known.
    :param spelled: (term, a regular expression for the characters in which Chinese documents hold it).
    """

    names: list[str]
    elsewhere: list[str]
    spelled: list[tuple[str, str]]


def unknown_names(
    index: KeywordIndex, text: str, terms: Sequence[str], expansions: Sequence[Expansion] = ()
) -> Unknown:
    """Return the names and codes of a question that do not occur: what is found without them is about something else.

    A name occurs, too, where Chinese documents hold characters that are read so (张伟 for "Zhang Wei" and "Wei Zhang"),
    or what it is called in Chinese (慕尼黑 for "Munich").

    :param index: the collection's.
    :param text: the question. A word in Latin letters with a capital is a name, unless most of them have one; the first
        of an English sentence only as "Tesla's" and "TESLA", and where it is no sentence but words: "Tesla revenue".
        Months, weekdays and formats ("YYYY-MM-DD") are none.
    :param terms: tokens of the question; one with a digit, and a letter or a point, is a code (`e-4013`, `5.0`), a
        fiscal year or a number with its unit (`25mm`, `3rd`) is none. A code is written alike in every language.
    :param expansions: other words for some of the terms; one whose other word occurs counts as if it occurred.
    """
    unknown = {one: False for one in codes_of(terms) if not index.coverage([one], expansions)}
    spelled: list[tuple[str, str]] = []
    names = {found[0]: found for found in _names(text) if set(tokenize_phrase(found[0])) <= set(terms)}
    missing = [found for name, found in names.items() if not index.coverage(tokenize_phrase(name), expansions)]
    chinese = bool(missing) and bool(index.languages(["zh"]))
    for place, found in enumerate(missing):
        spelling = spelled_in_chinese(index, *_run(text, found)) if chinese and place < MOST_NAMES else None
        if spelling:
            spelled += [(token, spelling) for token in tokenize_phrase(found[0])]
        else:
            unknown.setdefault(found[0].lower(), spelling is None)
    told = [one for one in unknown if not any(one != other and one in other for other in unknown)]
    return Unknown(told, [one for one in told if unknown[one]], spelled)


def codes_of(terms: Sequence[str]) -> list[str]:
    """Return the codes and versions among the tokens of a question, each once."""
    return [term for term in dict.fromkeys(terms) if _is_code(term)]


def names_of(text: str) -> list[str]:
    """Return the names in Latin letters of a question, as they are written."""
    return [found[0] for found in _names(text)]


def _is_code(term: str) -> bool:
    amount = _AMOUNT.fullmatch(term)
    return _CODE.fullmatch(term) is not None and not (amount and amount["unit"] in _ENDINGS)


def _names(text: str) -> Iterator[re.Match[str]]:
    words = _WORD.findall(text)
    capitals = [word for word in words[1:] if word[0].isupper()]
    if len(words) > 3 and 2 * len(capitals) > len(words):
        return
    sentence = not ENGLISH.isdisjoint(tokenize(text))
    for found in _NAME.finditer(text):
        ordinary = _FORMAT.fullmatch(found[0]) or _ORDINARY.fullmatch(found[0])
        if not ordinary and _stands_for_a_name(text, found, sentence):
            yield found


def _stands_for_a_name(text: str, found: re.Match[str], sentence: bool) -> bool:
    start, end = found.span()
    within_a_word = start > 0 and text[start - 1].isascii() and (text[start - 1].isalnum() or text[start - 1] in "_-./")
    begins = sentence and _BEGINS.search(text[:start]) is not None and not _HAN.search(text)
    return not within_a_word and (not begins or found[0].isupper() or _POSSESSIVE.match(text, end) is not None)


def _run(text: str, found: re.Match[str]) -> tuple[list[str], int, list[str]]:
    """Return the words with capitals around a name, its place among them, and what stands behind each."""
    words = list(_PROPER.finditer(text))
    place = next((n for n, word in enumerate(words) if word.end() > found.start()), None)
    if place is None:
        return [found[0]], 0, [""]
    first = last = place
    while first > 0 and _goes_on(text, words[first - 1], words[first]):
        first -= 1
    while last + 1 < len(words) and _goes_on(text, words[last], words[last + 1]):
        last += 1
    run = words[first : last + 1]
    between = [text[one.end() : other.start()] for one, other in itertools.pairwise(run)]
    return [word[0] for word in run], place - first, [*between, ""]


def _goes_on(text: str, one: re.Match[str], other: re.Match[str]) -> bool:
    """Return whether two words are of one name."""
    capitals = one[0][0].isupper() and other[0][0].isupper() and one[0].lower() not in ENGLISH
    return capitals and text[one.end() : other.start()] in _BETWEEN
