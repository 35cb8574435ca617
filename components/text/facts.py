"""The facts of a sentence that can be compared without understanding it: numbers, dates, times, weekdays, codes."""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from khub.components.text.dates import dates, times, weekdays
from khub.components.text.quantities import UNITS, numbers_in

# an option, a path, a version, what holds a digit, an inner point, underscore or capital, and what is all capitals:
# --force, /var/lib, 4.1.2, E-4012, P6, log.level, gRPC, TiKV, AES
_CODE = re.compile(
    r"(?<![\w-])--?[A-Za-z][\w-]+|(?<![\w.:/])~?/[\w.+-]+(?:/[\w.+-]+)*/?|(?<![\w.])\d++\.\d++\.\d++(?:\.\d++)*+(?![\w.]*\w)"
    r"|(?<![A-Za-z0-9_.-])(?=[A-Za-z])"
    r"(?=[A-Za-z0-9_.@/-]{0,99}\d|[A-Za-z0-9]++[_.][A-Za-z]|[a-z]++(?:-[a-z]*+)?[A-Z]|[A-Z][a-z]++[A-Z])"
    r"[A-Za-z][A-Za-z0-9]*+(?:[-_.@/]++[A-Za-z0-9]++)*"
    r"|(?<![A-Za-z0-9])[A-Z]{2,}+(?=s?(?![A-Za-z0-9]))"
)


@dataclass(frozen=True)
class Fact:
    """A fact of a sentence.

    :param kind: `number`, `date`, `time`, `weekday` or `code`.
    :param value: what is compared: base units, ISO date, `HH:MM`, 0 to 6 from Monday, text in lower case.
    :param text: as it stands.
    :param quantity: of a number, what it measures, "" where no known unit follows.
    :param place: where it begins in the NFKC-normalised sentence.
    """

    kind: str
    value: float | str
    text: str
    quantity: str = ""
    place: int = 0


def facts_in(text: str) -> list[Fact]:
    """Return the facts of a sentence.

    What one kind has taken is no longer read by the next one: the year of a date is no number.

    :param text: any text.
    """
    rest = unicodedata.normalize("NFKC", text)
    facts: list[Fact] = []
    for read in (_moments, _codes, _numbers):
        found = list(read(rest))
        rest = _without(found, rest, BLANK)
        facts += found
    return facts


BLANK = "\0"
"""Stands in the place of each character that has been read, so that the others keep theirs."""


def _moments(text: str) -> Iterator[Fact]:
    for kind, find in (("date", dates), ("time", times), ("weekday", weekdays)):
        for value, (start, end) in find(text):
            yield Fact(kind, value, text[start:end], place=start)


def _codes(text: str) -> Iterator[Fact]:
    for match in _CODE.finditer(text):
        if match[0].lower() not in UNITS:  # GB, kWh
            yield Fact("code", match[0].lower().rstrip("/"), match[0], place=match.start())


def _numbers(text: str) -> Iterator[Fact]:
    for number in numbers_in(text):
        yield Fact(
            "number", round(number.value, 9), number.text, number.quantity, text.index(number.text, number.span[0])
        )


def without_values(text: str) -> str:
    """Return a sentence without its numbers, dates and times: what it speaks of."""
    text = unicodedata.normalize("NFKC", text)
    return _without((fact for fact in facts_in(text) if fact.kind != "code"), text, " ")


def _without(facts: Iterable[Fact], text: str, blank: str) -> str:
    """Return a text with facts blanked out; all at once, so that many of them do not copy it many times."""
    characters = list(text)
    for fact in facts:
        characters[fact.place : fact.place + len(fact.text)] = blank * len(fact.text)
    return "".join(characters)
