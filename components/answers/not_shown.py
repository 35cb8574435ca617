"""Names, codes, versions, years and days that a question names and none of the passages that are shown holds."""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from khub.components.answer import Citation
from khub.components.query.word_glosses import SHIPPED, read_word_glosses
from khub.components.retrievers.unknown_names import codes_of, names_of
from khub.components.text.dates import dates
from khub.components.text.language import may_be_same
from khub.components.text.naming import file_words
from khub.components.text.stopwords import ENGLISH
from khub.components.text.tokenizer import HAN

MOST_TOLD = 3
DAY = "YYYY-MM-DD"
_HAN = re.compile(f"[{HAN}]")
_NO_NAME = "我你您他她它这那哪谁"
"""What begins no name, but some words of the table: 我们能 is a party's in Spain."""
_GRADE = re.compile(r"(?<![A-Za-z0-9+-])[A-Z][+-](?![A-Za-z0-9+-])")
"""A letter with a sign, such as the mark B+."""
_NUMBER = re.compile(r"(?<![A-Za-z0-9_.,:/%-])(?P<number>\d{2,})(?!\d)(?![A-Za-z0-9_.,:/%-]*\d)(?![A-Za-z%°])")
_YEAR = re.compile(r"(?:19|20)\d\d")
_NAME_BEFORE = re.compile(r"(?<![A-Za-z])([A-Z][A-Za-z]*) ?$")
_COUNTED = re.compile(rf"\s*(?:[a-z]|[{HAN}])")
_CHINESE_UNIT = re.compile(rf"\s*(?!年)[{HAN}]")
_LABELLED = re.compile(r"\s+[的是说在有会要和与为那该]")
"""What follows a Chinese label rather than what is counted: 退出码 137 说明…"""


class NotShown(NamedTuple):
    """What a question names and passages do not hold, in lower case.

    :ivar anywhere: what none of them holds, at most three.
    :ivar first: the only number, year or version that the question names, where another passage than the first has it.
    """

    anywhere: list[str]
    first: list[str]


def not_shown(text: str, terms: Sequence[str], language: str, passages: Sequence[Citation]) -> NotShown:
    """Return what a question names and passages do not hold.

    Names in Latin letters count where the first passage is in the question's language: another one may call them
    otherwise. Chinese names are the words of the hub's table whose English begins with a capital; a passage may hold
    either. A number counts as a name where it is a year, stands behind a name (Ember 450) or counts nothing. Of several
    that a question names each may stand in a passage of its own.

    :param text: the question.
    :param terms: its tokens.
    :param language: its language.
    :param passages: those that are shown.
    """
    if not passages:
        return NotShown([], [])
    shown = [_plain(_all_of(one)) for one in passages]
    marks = list(dict.fromkeys(map(_plain, (*codes_of(terms), *_labels(text)))))
    names = map(_plain, names_of(text) if may_be_same(language, _language(passages[0])) else ())
    missing = [one for one in dict.fromkeys((*marks, *names)) if not any(_holds(part, one) for part in shown)]
    missing += [name for name, ways in _chinese_names(text) if not any(way in part for way in ways for part in shown)]
    missing += _days_not_in(text, passages)
    missing = [one for one in missing if not any(one != other and one in other for other in missing)][:MOST_TOLD]
    only = [one for one in marks if one[0].isdigit() and one not in missing and not _holds(shown[0], one)]
    return NotShown(missing, only if len(marks) == 1 else [])


def _labels(text: str) -> list[str]:
    numbers = [found["number"] for found in _NUMBER.finditer(text) if _is_label(text, found)]
    return numbers + _GRADE.findall(text)


def _chinese_names(text: str) -> Iterator[tuple[str, list[str]]]:
    """Yield the names among the Chinese words of a text, each with the ways in which a passage may hold it."""
    for word in read_word_glosses(SHIPPED).words(text) if _HAN.search(text) else ():
        name = word.text.strip()
        if len(name) > 1 and word.glosses and word.glosses[0][0].isupper() and name[0] not in _NO_NAME:
            yield name, [_plain(way) for way in (name, *word.glosses)]


def _days_not_in(text: str, passages: Sequence[Citation]) -> list[str]:
    """Return the days of a question, as it says them, that no passage names in any form; a year is told by itself."""
    plain = unicodedata.normalize("NFKC", text)
    asked = [(day, plain[start:end]) for day, (start, end) in dates(plain) if len(day) in (len("-MM-DD"), len(DAY))]
    if not asked:
        return []
    named = {day for one in passages for day, _ in dates(unicodedata.normalize("NFKC", _all_of(one)))}
    known = named | {day[-len("-MM-DD") :] for day in named}
    return [_plain(said) for day, said in asked if day not in known and day[-len("-MM-DD") :] not in named]


def _is_label(text: str, found: re.Match[str]) -> bool:
    before, after = text[: found.start()], text[found.end() :]
    name = _NAME_BEFORE.search(before)
    if name and name[1].lower() not in ENGLISH:
        return True
    if _YEAR.fullmatch(found["number"]) and not _CHINESE_UNIT.match(after):
        return True
    return not _COUNTED.match(after) or _LABELLED.match(after) is not None


def _all_of(passage: Citation) -> str:
    return "\n".join((passage.title, passage.section, passage.text, passage.source, file_words(passage.source)))


def _plain(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold().replace(",", "").replace("–", "-")


def _holds(shown: str, name: str) -> bool:
    """Say whether a text holds a name, a number not as a part of another."""
    behind = r"(?!\.?\d)" if name[-1].isdigit() else r"(?![+-])" if name[-1] in "+-" else ""
    before = r"(?<![\d.])" if name[-1].isdigit() else "(?<![a-z])"
    return re.search(f"{before}{re.escape(name)}{behind}", shown) is not None


def _language(passage: Citation) -> str:
    return "zh" if len(_HAN.findall(passage.text)) * 10 > len(passage.text) else "en"
