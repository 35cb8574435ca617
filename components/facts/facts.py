"""The facts of a sentence that can be compared without understanding it: numbers, dates, times, weekdays, names."""

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from components.facts.moments import Found, dates, times, weekdays
from components.facts.numbers import UNIT, numbers_in
from components.facts.units import UNITS

_PORT = re.compile(r"(?:\bport\b|端口)\s?(?:号)?\s?[:：]?\s?(\d{2,5})|(\d{2,5})\s?(?:号)?\s?端口", re.IGNORECASE)
# a digit, an inner point or underscore, or a capital behind small letters: E-4012, P6, log.level, gRPC, TiKV, HTTPS
_CODE = (
    r"(?<![A-Za-z0-9_.-])(?=[A-Za-z0-9_.@-]*\d|[A-Za-z0-9]+[_.][A-Za-z]|[a-z]+[A-Z])"
    r"[A-Za-z][A-Za-z0-9]*(?:[-_.@]+[A-Za-z0-9]+)*"
    r"|(?<![A-Za-z0-9])[A-Z]{2,}(?![A-Za-z0-9])"
    r"|(?<![A-Za-z0-9])[A-Z][a-z]+[A-Z][A-Za-z]*?(?=s?(?![A-Za-z0-9]))"
)
_VERSION = r"(?<![A-Za-z0-9])[A-Z][A-Za-z]+ \d+(?:\.\d+)+\b|(?<![\d.])\d+\.\d+\.\d+(?!\.?\d)"
_NAMES = re.compile(f"{_VERSION}|{_CODE}")
# words before a number that make no name of it, as Ember does of 300
_NO_NAME = (
    "In|On|At|By|The|Only|About|Week|Day|Chapter|Figure|Table|Port|Step|Nearly|Over|Under|After|Before|From|Until"
    "|Codes?|Up|For|Each|Every|Than|Least|Most"
)
_PRODUCT = re.compile(rf"\b(?!(?:{_NO_NAME})\b)[A-Z][a-z]+ \d{{1,4}}(?![\d.,]*\d)(?!{UNIT})(?![A-Za-z%])")
_OF_PRODUCT = re.compile(r"^([A-Za-z]+) \d+(?:\.\d+)+$")


@dataclass(frozen=True)
class Fact:
    """A fact of a sentence.

    :param kind: `number`, `date`, `time`, `weekday`, `port`, `identifier` or `version`.
    :param value: what is compared: base units, ISO date, `HH:MM`, 0 to 6 from Monday, text in lower case.
    :param text: as it stands.
    :param quantity: of a number, what it measures, "" where no known unit follows; of a version, the product.
    """

    kind: str
    value: float | str
    text: str
    quantity: str = ""


def facts_in(text: str) -> list[Fact]:
    """Return the facts of a sentence, each once.

    What one kind has taken is no longer read by the next one: the year of a date is no number.

    :param text: any text.
    """
    facts, rest = _moments(unicodedata.normalize("NFKC", text))
    for read in (_ports, _names, _products):
        for fact, (start, end) in list(read(rest)):
            facts.append(fact)
            rest = _blanked(rest, start, end)
    facts += [Fact("number", round(n.value, 9), n.text, n.quantity) for n in numbers_in(rest)]
    return list(dict.fromkeys(facts))


def without_facts(text: str) -> str:
    """Return a sentence with its dates, times and numbers blanked: what it speaks of."""
    _, rest = _moments(unicodedata.normalize("NFKC", text))
    names = [match.span() for match in _NAMES.finditer(rest)]
    for number in numbers_in(rest):
        if not any(start <= number.span[0] < end for start, end in names):
            rest = _blanked(rest, *number.span)
    return rest.replace(BLANK, " ")


BLANK = "\0"
"""Stands in the place of each character that has been read, so that the others keep theirs."""


def _blanked(text: str, start: int, end: int) -> str:
    return text[:start] + BLANK * (end - start) + text[end:]


def _moments(text: str) -> tuple[list[Fact], str]:
    kinds: Iterable[tuple[str, Callable[[str], Iterator[Found]]]] = (
        ("date", dates), ("time", times), ("weekday", weekdays),
    )  # fmt: skip
    facts = []
    for kind, find in kinds:
        for value, (start, end) in list(find(text)):
            facts.append(Fact(kind, value, text[start:end].strip()))
            text = _blanked(text, start, end)
    return facts, text


def _ports(text: str) -> Iterator[tuple[Fact, tuple[int, int]]]:
    for match in _PORT.finditer(text):
        yield Fact("port", match[1] or match[2], match[0].strip()), match.span()


def _names(text: str) -> Iterator[tuple[Fact, tuple[int, int]]]:
    for match in _NAMES.finditer(text):
        if match[0].lower() in UNITS:  # GB, kWh
            continue
        product = _OF_PRODUCT.match(match[0])
        kind = "version" if product else "identifier"
        yield Fact(kind, match[0].lower(), match[0], product[1].lower() if product else ""), match.span()


def _products(text: str) -> Iterator[tuple[Fact, tuple[int, int]]]:
    for match in _PRODUCT.finditer(text):
        yield Fact("identifier", match[0].lower(), match[0]), match.span()
