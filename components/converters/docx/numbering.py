"""Automatic numbers of a Word file: of list items and of headings."""

from collections import defaultdict
from typing import Any

from khub.components.converters.docx.styles import to_int, value
from khub.components.converters.office.package import q

_DIGITS = "零一二三四五六七八九"
_CHINESE = {
    "chineseCounting",
    "chineseCountingThousand",
    "taiwaneseCounting",
    "taiwaneseCountingThousand",
    "ideographDigital",
    "japaneseCounting",
    "japaneseDigitalTenThousand",
    "chineseLegalSimplified",
}
_ROMAN = (
    (1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"), (40, "xl"), (10, "x"),
    (9, "ix"), (5, "v"), (4, "iv"), (1, "i"),
)  # fmt: skip
_STEMS = {"ideographTraditional": "甲乙丙丁戊己庚辛壬癸", "ideographZodiac": "子丑寅卯辰巳午未申酉戌亥"}
_DEEPEST = 8


class Numbering:
    """Counts the items of every list as Word does.

    :param root: of `numbering.xml`; None where there is none.
    """

    def __init__(self, root: Any | None) -> None:
        self._levels: dict[str, dict[int, Any]] = {}
        self._abstract: dict[str, str] = {}
        self._starts: dict[tuple[str, int], int] = {}
        self._counts: dict[str, list[int | None]] = defaultdict(lambda: [None] * (_DEEPEST + 1))
        self._begun: set[tuple[str, int]] = set()
        if root is None:
            return
        abstract = {element.get(q("w:abstractNumId")): element for element in root.iter(q("w:abstractNum"))}
        for number in root.iter(q("w:num")):
            number_id, kind = number.get(q("w:numId")) or "", value(number.find(q("w:abstractNumId"))) or ""
            self._abstract[number_id] = kind
            self._levels[number_id] = _levels_of(abstract.get(kind))
            for override in number.iter(q("w:lvlOverride")):
                depth = to_int(override.get(q("w:ilvl"))) or 0
                start = to_int(value(override.find(q("w:startOverride"))))
                if start is not None:
                    self._starts[number_id, depth] = start
                if (level := override.find(q("w:lvl"))) is not None:
                    self._levels[number_id][depth] = level

    def knows(self, number_id: str | None) -> bool:
        """Whether there is a list with this id."""
        return number_id in self._levels

    def label(self, number_id: str, depth: int) -> str | None:
        """Count one more item and return its label.

        :param number_id: id of the list.
        :param depth: level of the item, from 0.
        :returns: such as "1.", "2.1", "(a)" or "第一章"; "" for an item without any, None for a bullet.
        """
        depth = min(max(depth, 0), _DEEPEST)
        levels = self._levels[number_id]
        # Lists of the same kind share their counts: this is how a list goes on after other text.
        counts = self._counts[self._abstract[number_id]]
        for above in range(depth):
            if counts[above] is None:
                counts[above] = self._start(number_id, above)
        before, key = counts[depth], (number_id, depth)
        begins = before is None or (key in self._starts and key not in self._begun)
        counts[depth] = self._start(number_id, depth) if before is None or begins else before + 1
        self._begun.add(key)
        counts[depth + 1 :] = [None] * (_DEEPEST - depth)
        level = levels.get(depth)
        if level is None or value(level.find(q("w:numFmt"))) == "bullet":
            return None
        text = value(level.find(q("w:lvlText"))) or ""
        plain = level.find(q("w:isLgl")) is not None
        for above in range(depth + 1):
            if f"%{above + 1}" in text:
                text = text.replace(f"%{above + 1}", _written(counts[above] or 0, _format(levels.get(above), plain)))
        return text.strip()

    def _start(self, number_id: str, depth: int) -> int:
        if (number_id, depth) in self._starts:
            return self._starts[number_id, depth]
        level = self._levels[number_id].get(depth)
        start = None if level is None else to_int(value(level.find(q("w:start"))))
        return 1 if start is None else start


def _levels_of(abstract: Any | None) -> dict[int, Any]:
    levels = [] if abstract is None else abstract.findall(q("w:lvl"))
    return {to_int(level.get(q("w:ilvl"))) or 0: level for level in levels}


def _format(level: Any | None, plain: bool) -> str:
    return "decimal" if level is None or plain else value(level.find(q("w:numFmt"))) or "decimal"


def _written(number: int, kind: str) -> str:
    if kind in _CHINESE or kind in _STEMS:
        return _STEMS[kind][(number - 1) % len(_STEMS[kind])] if kind in _STEMS else chinese_number(number)
    if kind in {"upperRoman", "lowerRoman"} and 0 < number < 4000:
        return _roman(number).upper() if kind == "upperRoman" else _roman(number)
    if kind in {"upperLetter", "lowerLetter"} and number > 0:
        letter = chr(ord("a") + (number - 1) % 26) * ((number - 1) // 26 + 1)
        return letter.upper() if kind == "upperLetter" else letter
    if kind.startswith("decimalEnclosedCircle") and 0 < number <= 20:
        return chr(0x2460 + number - 1)
    return {"none": "", "decimalZero": f"{number:02d}"}.get(kind, str(number))


def chinese_number(number: int) -> str:
    """Return a number below 10,000 in Chinese numerals, as 二十一; other numbers in digits."""
    if not 0 < number < 10_000:
        return str(number) if number else _DIGITS[0]
    text = ""
    for unit, name in ((1000, "千"), (100, "百"), (10, "十"), (1, "")):
        digit, number = divmod(number, unit)
        if digit:
            text += _DIGITS[digit] + name
        elif text and number and not text.endswith("零"):
            text += "零"
    return text.removeprefix("一") if text.startswith("一十") else text


def _roman(number: int) -> str:
    text = ""
    for amount, letters in _ROMAN:
        count, number = divmod(number, amount)
        text += letters * count
    return text
