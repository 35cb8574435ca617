"""The numbers of a text, whether they are written in digits or in words."""

import re
from decimal import Decimal

_DIGITS = re.compile(r"(?<![\w.])(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?|(?<=[^\W\d_])\d+(?:\.\d+)?")
_SCALE = re.compile(r"[ \t]?(million|billion|thousand|亿|万|千|百)|([kKM])(?![A-Za-z/])")
_SCALES = {
    "thousand": 1_000, "K": 1_000, "k": 1_000, "million": 1_000_000, "M": 1_000_000, "billion": 1_000_000_000,
    "百": 100, "千": 1_000, "万": 10_000, "亿": 100_000_000,
}  # fmt: skip
HAN_NUMERAL = re.compile(r"[零〇一二三四五六七八九十百千万亿两]+")
LONGEST_NUMERAL = 30
"""More characters in a row are no number that anybody means."""
_HAN_DIGITS = {character: value for value, character in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2}
_HAN_UNITS = {"十": 10, "百": 100, "千": 1_000}
_HAN_MYRIADS = {"万": 10_000, "亿": 100_000_000}
_SMALL = """
    zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen
    eighteen nineteen
"""
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
_ENGLISH = {word: value for value, word in enumerate(_SMALL.split())}
_ENGLISH |= {word: 10 * value for value, word in enumerate(_TENS.split(), start=2)}
_ENGLISH_SCALES = {"hundred": 100, "thousand": 1_000, "million": 1_000_000, "billion": 1_000_000_000}
_ONE = rf"(?:{'|'.join(sorted(_ENGLISH, key=len, reverse=True))})"
ENGLISH_NUMERAL = rf"{_ONE}(?:[ -](?:{_ONE}|{'|'.join(_ENGLISH_SCALES)}|and(?= {_ONE}))\b)*"
"""Pattern of a number in English words, in lower case."""
_WORDS = re.compile(r"[A-Za-z]+")


def numbers_in_digits(text: str) -> list[tuple[str, set[Decimal]]]:
    """Return the numbers that a text writes in digits.

    :param text: any text.
    :returns: of each how it stands there (`1,200`, `3.5`; of `E-4012` `4012`), and what it may mean: `12 万` is 120000,
        and 12, for a table may say elsewhere that it counts in 万.
    """
    numbers = []
    for match in _DIGITS.finditer(text):
        value = Decimal(match.group().replace(",", ""))
        scale = _SCALE.match(text, match.end())
        scaled = {value * _SCALES[scale[1] or scale[2]]} if scale else set()
        numbers.append((match.group(), {value} | scaled))
    return numbers


def values_of(text: str) -> set[Decimal]:
    """Return what the numbers of a text may mean, in digits and in words: `六百`, `twenty-five`."""
    values = {value for _, meant in numbers_in_digits(text) for value in meant}
    values |= {Decimal(number) for run in HAN_NUMERAL.findall(text) for number in _han_values(run)}
    return values | {Decimal(number) for number in _english_values(text)}


def han_number(text: str) -> float:
    """Return the value of a Chinese numeral: 三百二十 -> 320, 八十万 -> 800,000, 两点五 -> 2.5, 二〇二六 -> 2026.

    :param text: characters of 零〇一二两三四五六七八九十百千万亿点.
    """
    whole, _, part = text.partition("点")
    if all(character in _HAN_DIGITS for character in whole + part):
        return float("".join(str(_HAN_DIGITS[c]) for c in whole) + "." + "".join(str(_HAN_DIGITS[c]) for c in part))
    total = section = digit = 0
    for character in whole:
        if character in _HAN_DIGITS:
            digit = _HAN_DIGITS[character]
        elif character in _HAN_UNITS:
            section += (digit or 1) * _HAN_UNITS[character]
            digit = 0
        else:
            total = (total + section + digit or 1) * _HAN_MYRIADS[character]
            section = digit = 0
    return total + section + digit + (han_number(f"零点{part}") if part else 0)


def english_number(words: str) -> float:
    """Return the value of a number in English words: `two hundred and five`, `twenty-five`, `three million`."""
    total = part = 0.0
    for word in re.split(r"[\s-]+", words.lower()):
        if word == "hundred":
            part = (part or 1) * 100
        elif word in _ENGLISH_SCALES:
            total, part = total + (part or 1) * _ENGLISH_SCALES[word], 0.0
        else:
            part += _ENGLISH.get(word, 0)
    return total + part


def _han_values(run: str) -> set[int]:
    """Return the value of a Chinese number; of a run of bare digits (`二〇二四`) that of each of them, too."""
    if len(run) > LONGEST_NUMERAL:
        return set()
    digits = {_HAN_DIGITS[c] for c in run} if all(c in _HAN_DIGITS for c in run) else set()
    return {int(han_number(run)), *digits}


def _english_values(text: str) -> set[int]:
    """Return the values of all number words, of those that belong together as one number, and of each by itself."""
    values: set[int] = set()
    current = 0
    for word in [*_WORDS.findall(text.lower()), ""]:
        if word in _ENGLISH:
            value = _ENGLISH[word]
            joins = value < 10 and current % 10 == 0
            values |= {value} if joins else {value, current}
            current = current + value if joins else value
        elif word in _ENGLISH_SCALES and current:
            current *= _ENGLISH_SCALES[word]
        elif word != "and":
            values.add(current)
            current = 0
    return values - {0}
