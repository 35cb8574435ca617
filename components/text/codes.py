"""Versions, section numbers, part numbers and days of a text, each as a whole: 2.3.1 is not in 2.3.10."""

import re
import unicodedata

from khub.components.text.dates import dates, without_spans
from khub.components.text.number_words import han_number
from khub.components.text.quantities import UNITS

_HAN = "一二三四五六七八九十百零〇"
_PART = r"[A-Za-z]{1,8}[-_/]?\d+(?:[A-Za-z]+\d+|[A-Za-z]?[-_./][A-Za-z]*\d+)*[A-Za-z]?"
"""Written so that each text fits in one way alone: a hash would else be tried in all of them."""
_DOTTED = r"[vV]?\d+(?:[.\-/]\d+)+(?:-?(?:alpha|beta|rc|dev|pre|preview|snapshot)[\w.]*)?|[vV]\d+"
_CODE = re.compile(rf"(?<![A-Za-z0-9_])(?<!\d[.,\-/])(?:{_DOTTED}|{_PART})(?![A-Za-z0-9_]|[.\-/]\d)")
_AMOUNT = re.compile(r"\s?([A-Za-z°%µ]+|[万亿元年月天日])")
_NUMBERED = re.compile(
    rf"(?:\b(?:sections?|chapters?|articles?|clauses?|appendix|annex)|§)\s?(?P<behind>\d+)(?![\d.]*\d)"
    rf"|第\s?(?P<han>\d+|[{_HAN}]+)\s?[章节節条條篇]",
    re.IGNORECASE,
)
_FIRST_NUMBER = re.compile(r"[#*\s]*(\d{1,3})[.)、:：]?(?:\s|$)")
_MARK = re.compile(r"[.\-/_]|^[vV]")
_DIGITS = 3
"""So many digits at least has a code without a joint: E4012, but not BM25 and int8, which are names of things."""
_JOINTS = re.compile(r"(?<=[a-z])[-_/](?=\d)")
_LABEL_WORDS = re.compile(
    r"version|release|section|chapter|article|clause|part|no|date|released|版本?|第|章|节|条|年|月|日|v", re.IGNORECASE
)


def codes_in(text: str) -> frozenset[str]:
    """Return the codes of a text, each in one spelling: `v2.3.10` and 2.3.10, `AB-120` and AB120, a day in ISO form.

    Amounts (2.5 kg) are none. A plain number is one where it says which section: `section 4`, `§ 4`, 第四条.
    """
    text = unicodedata.normalize("NFKC", text)
    found: set[str] = set()
    dated = list(dates(text))
    found.update(date for date, _ in dated if len(date) > len("2024"))  # a year stands everywhere, and tells no place
    text = without_spans(text, sorted(span for _, span in dated))
    for match in _CODE.finditer(text):
        if not _MARK.search(match[0]) and sum(map(str.isdigit, match[0])) < _DIGITS:
            continue
        unit = _AMOUNT.match(text, match.end())
        if not (unit and (unit[1].lower() in UNITS or unit[1] in "%°")) or match[0].count(".") > 1:
            found.add(_spelled(match[0]))
    for match in _NUMBERED.finditer(text):
        number = match["behind"] or match["han"]
        found.add(f"§{int(number) if number.isdecimal() else int(han_number(number))}")
    return frozenset(found)


def codes_of_heading(heading: str) -> frozenset[str]:
    """Return the codes of a heading, the number with which it begins among them: `4. Accounts` is section 4."""
    first = _FIRST_NUMBER.match(heading)
    return codes_in(heading) | ({f"§{int(first[1])}"} if first else set())


def is_label(line: str) -> bool:
    """Say whether a line holds codes and nothing else, so that it heads what follows as a heading does."""
    if len(line) > 80 or not codes_in(line):
        return False
    rest = unicodedata.normalize("NFKC", line)
    rest = without_spans(rest, sorted(span for _, span in dates(rest)))
    return not any(map(str.isalnum, _LABEL_WORDS.sub(" ", _CODE.sub(" ", rest))))


def _spelled(code: str) -> str:
    code = code.lower()
    code = code[1:] if re.match(r"v\d", code) else code
    return _JOINTS.sub("", code)
