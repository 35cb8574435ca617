"""Numbers with their units in Chinese and English text, on one scale: `800,000 yuan` is `八十万元`."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from components.facts.units import UNITS

_DIGITS = {c: v for v, cs in enumerate(("零〇", "一", "二两", "三", "四", "五", "六", "七", "八", "九")) for c in cs}
_TENS = {"十": 10, "百": 100, "千": 1000}
_MYRIADS = {"万": 10_000, "亿": 100_000_000}
_ONES = """
    zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen
    eighteen nineteen
"""
_ROUND = "twenty thirty forty fifty sixty seventy eighty ninety"
_WORDS = {word: value for value, word in enumerate(_ONES.split())}
_WORDS |= {word: value for value, word in zip(range(20, 100, 10), _ROUND.split(), strict=True)}
_SCALES = {"hundred": 100, "thousand": 1000, "million": 1e6, "billion": 1e9, "k": 1e3, "千": 1e3, **_MYRIADS}

_PARTS = {"百万": 1e6, "十万": 1e5, "百": 100, "千": 1000, "万": 1e4}
_HAN_NUMBER = r"[零〇一二两三四五六七八九十百千万亿]+(?:点[零〇一二三四五六七八九]+)?"
_WORD = rf"(?:{'|'.join(sorted(_WORDS, key=len, reverse=True))})"
_WORD_NUMBER = rf"(?:{_WORD})(?:[ -](?:{_WORD}|hundred|thousand|million|billion|and))*"
_SPELLINGS = "|".join(re.escape(spelling) for spelling in sorted(UNITS, key=len, reverse=True))
UNIT = rf"(?:[\s-]?(?:{_SPELLINGS})(?![A-Za-z]))"
"""Pattern of a unit, with what may part it from its number."""
_CURRENCY = r"(?P<currency>[¥€$])\s?|"
_NUMBER = re.compile(
    rf"(?P<parts>{'|'.join(_PARTS)})分之(?P<share>{_HAN_NUMBER}|\d+(?:\.\d+)?)"
    rf"|(?:{_CURRENCY}(?<![A-Za-z0-9._-]))(?P<figure>[-−]?\d{{1,3}}(?:,\d{{3}})+(?:\.\d+)?|[-−]?\d+(?:\.\d+)?)(?!\.?\d)"
    rf"(?:\s?(?P<scale>万|亿|千(?!克|米|瓦|字节)|hundred\b|thousand\b|million\b|billion\b|k\b))?"
    rf"(?P<unit>(?:\s?(?:working|calendar|business))?{UNIT})?(?![A-Za-z0-9])"
    rf"|(?P<han>(?<![零〇一二两三四五六七八九十百千万亿第]){_HAN_NUMBER})(?P<hanunit>{UNIT})"
    rf"|\b(?P<word>{_WORD_NUMBER})(?P<wordunit>(?:\s(?:working|calendar|business))?{UNIT})",
    re.IGNORECASE,
)
_KIND_OF_DAY = re.compile(r"^(?:working|calendar|business)\s+")


@dataclass(frozen=True)
class Number:
    """A number in a text.

    :param value: in base units of its quantity.
    :param quantity: what is measured (`duration`, `percent`, `yuan` …), "" where no known unit follows.
    :param text: as it stands.
    :param span: its place.
    """

    value: float
    quantity: str
    text: str
    span: tuple[int, int]

    def equals(self, other: "Number") -> bool:
        """Whether both are the same amount of the same thing, as far as their units tell."""
        if self.quantity and other.quantity and self.quantity != other.quantity:
            return False
        return abs(self.value - other.value) <= 1e-9 * max(abs(self.value), abs(other.value), 1)


def numbers_in(text: str) -> list[Number]:
    """Return the numbers of a text, in their order.

    Read are figures (`3,260`, `0.5 %`, `80 万元`), Chinese numerals and English number words before a unit (`八十万元`,
    `three seconds`), and shares (`百分之五`, `千分之三`), as percent. Figures inside identifiers (`E-4012`) are none.

    :param text: any text, NFKC-normalised.
    """
    return list(_numbers(text))


def _numbers(text: str) -> Iterator[Number]:
    for match in _NUMBER.finditer(text):
        if match["share"]:
            value, unit = 100 * _value(match["share"]) / _PARTS[match["parts"]], "%"
        elif match["figure"]:
            scale = _SCALES.get((match["scale"] or "").lower(), 1)
            value, unit = _value(match["figure"]) * scale, match["unit"] or match["currency"] or ""
        elif match["han"]:
            value, unit = _value(match["han"]), match["hanunit"]
        else:
            value, unit = _of_words(match["word"]), match["wordunit"]
        name = _KIND_OF_DAY.sub("", unit.strip().lower().lstrip("-"))
        quantity, factor = UNITS.get(name, ("", 1.0))
        yield Number(value * factor, quantity, match[0].strip(), match.span())


def _value(text: str) -> float:
    plain = text.replace(",", "").replace("−", "-")
    return float(plain) if plain[-1] in "0123456789" else han_number(plain)


def han_number(text: str) -> float:
    """Return the value of a Chinese numeral: 三百二十 -> 320, 八十万 -> 800,000, 两点五 -> 2.5, 二〇二六 -> 2026.

    :param text: characters of 零〇一二两三四五六七八九十百千万亿点.
    """
    whole, _, part = text.partition("点")
    if len(whole) > 1 and all(c in _DIGITS for c in whole):
        value = float("".join(str(_DIGITS[c]) for c in whole))
    else:
        value = float(_sections(whole))
    digits = "".join(str(_DIGITS[c]) for c in part)
    return value + float(f"0.{digits}") if digits else value


def _sections(text: str) -> int:
    total = section = digit = 0
    for character in text:
        if character in _DIGITS:
            digit = _DIGITS[character]
        elif character in _TENS:
            section += (digit or (1 if character == "十" and not section else 0) or 1) * _TENS[character]
            digit = 0
        else:
            total = (total + section + digit or 1) * _MYRIADS[character]
            section = digit = 0
    return total + section + digit


def _of_words(text: str) -> float:
    total = part = 0.0
    for word in re.split(r"[\s-]+", text.lower()):
        if word in _WORDS:
            part += _WORDS[word]
        elif word == "hundred":
            part = (part or 1) * 100
        elif word in _SCALES:
            total, part = total + (part or 1) * _SCALES[word], 0.0
    return total + part
