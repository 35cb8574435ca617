"""The cells of a line of figures: a sign stands with its number, and leaders are no words."""

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from khub.components.converters.pdf.layout import Word
from khub.components.converters.pdf.leaders import is_leader
from khub.components.converters.pdf.lines import Line, words_text

_GAP = 0.9
"""In font sizes: words that stand wider apart are cells."""
_SIGN = re.compile(r"(?:US|HK|NT|C|A|R)?\$|[€£¥￥(]|[$€£¥￥]\(|RMB|[-−–—+]")
_CURRENCIES = frozenset(("$", "€", "£", "¥", "￥", "US$", "HK$", "RMB"))
_DASH = re.compile(r"[-−–—+]")
_RANGE = re.compile(r"(?<=[\d%]) ([-–—/:±×x]) (?=\d)")
_SPECIAL = re.compile(r"[$€£¥￥.·_…*†‡§]{2}|^[$€£¥￥.·_…*†‡§]|[$€£¥￥]$|RMB")
_MOST_WORDS = 4
_LONGEST = 40
_TIGHT = 0.4
_FIGURES = 0.45
_BEHIND = re.compile(r"[%)‰]|\)%|%\)|[*†‡§]+")
_NOTES = "*†‡§"
_NEAR = 0.6
_YEAR = re.compile(
    r"(?:FY ?)?(?:19|20)\d\d[AE]?(?:年度?)?(?:[-–/](?:(?:19|20)\d\d|\d\d))?|\d{1,2}[./]\d{1,2}[./](?:19|20)\d\d"
    r"|(?:19|20)\d\d[./-]\d{1,2}[./-]\d{1,2}"
)
_AMOUNT = r"(?:\d[\d,.'’]*|\.\d+)"
_NUMBER = re.compile(
    rf"[~≈<>≤≥±+−–—-]?(?:(?:US|HK|NT|C|A|R)?\$|[€£¥￥]|RMB)?[(\[]?(?:[$€£¥￥]|RMB)?[+−–—-]?{_AMOUNT}"
    rf"(?:(?:[-–—/:x×±]|\+/-){_AMOUNT}%?)*[%‰xX×万亿元kKmMbB]?[)\]]?%?(?:\(±?\d[\d.]{{0,5}}\)|[*†‡§])*"
)
_NOTHING = re.compile(r"(?:[$€£¥￥])?(?:[-−–—]{1,3}|N/?A|n/?a|NM|nm)[%)]?(?:\(\d{1,2}\)|[*†‡§])*|[*†‡§#]{1,5}|\(X\)")


_CODE = re.compile(r"[A-Za-z]{0,4}[-.#]?\d[\d.,:/-]*[A-Za-z%°µμΩ]{0,5}")


class Cell(NamedTuple):
    """Words of a line that stand together.

    :param text: a number without blanks in it; other words as they read.
    :param leads: whether leaders follow it.
    """

    x0: float
    x1: float
    text: str
    leads: bool = False


def cells_of_line(line: Line) -> list[Cell]:
    """Return the cells of a line from left to right."""
    words = sorted(line.words, key=lambda each: each.x0)
    if _is_one(words, line.size):
        return [_cell(words, False)]
    groups: list[list[Word]] = []
    leading: set[int] = set()
    broken = True
    for word in words:
        if _leads(word, line):
            leading.add(len(groups) - 1)
            broken = True
            continue
        if not broken and word.x0 - groups[-1][-1].x1 <= _GAP * line.size and not _begins(groups[-1], word, line.size):
            groups[-1].append(word)
        else:
            groups.append([word])
            broken = False
    return _joined([_cell(group, place in leading) for place, group in enumerate(groups)], line.size)


def _is_one(words: Sequence[Word], size: float) -> bool:
    """Whether words are one cell: they stand close, and none is a leader or a currency; so are most lines of text."""
    least = _FIGURES * size
    if any(other.x0 - one.x1 > least for one, other in pairwise(words)):
        return False
    return not any(_SPECIAL.search(word.text) for word in words)


def _begins(before: Sequence[Word], word: Word, size: float) -> bool:
    """Whether a word begins the next figure, which stands closer to this one than cells of words do."""
    if len(before) > _MOST_WORDS or not is_number("".join(each.text for each in before)):
        return False
    if word.text.rstrip("0123456789.,()-") in _CURRENCIES:
        return True
    return is_number(word.text) and word.x0 - before[-1].x1 > _FIGURES * size


@lru_cache(maxsize=4096)
def is_number(text: str) -> bool:
    """Whether a cell holds a figure, or the sign that there is none."""
    if len(text) > _LONGEST:
        return False
    text = _RANGE.sub(r"\1", text)
    return bool(_NUMBER.fullmatch(text) or _NOTHING.fullmatch(text))


def is_figure(text: str) -> bool:
    """Whether a cell holds a figure, with a unit or as the code of something, such as NY01."""
    return is_number(text) or _CODE.fullmatch(text) is not None


def _leads(word: Word, line: Line) -> bool:
    """Whether a word is a leader, or a dot of one; a dash or a point that stands alone as a figure is none."""
    return is_leader(word.text) and (len(word.text) > 1 or sum(is_leader(each.text) for each in line.words) > 2)


def is_year(text: str) -> bool:
    """Whether a cell names a year, or a day, and nothing else."""
    return _YEAR.fullmatch(text) is not None


def _cell(words: list[Word], leads: bool) -> Cell:
    text = words_text([words[0]._replace(spaced=False), *words[1:]])
    tight = "".join(word.text for word in words)
    figure = is_number(tight) and not _RANGE.search(text)
    return Cell(words[0].x0, words[-1].x1, tight if figure else text, leads)


def _joined(cells: list[Cell], size: float) -> list[Cell]:
    """Join signs with the numbers before which, or behind which, they stand."""
    joined: list[Cell] = []
    for cell in cells:
        before = joined[-1] if joined else None
        ahead = before is not None and _SIGN.fullmatch(before.text) and is_number(before.text + cell.text)
        if before is not None and _DASH.fullmatch(before.text) and cell.x0 - before.x1 > _TIGHT * size:
            ahead = None  # a dash that stands for no figure
        tight = before is not None and cell.x0 - before.x1 <= (_NEAR if cell.text[0] in _NOTES else _GAP * 2) * size
        behind = before is not None and tight and is_number(before.text) and _BEHIND.fullmatch(cell.text)
        if before is not None and (ahead or behind):
            joined[-1] = Cell(before.x0, cell.x1, before.text + cell.text, cell.leads)
        else:
            joined.append(cell)
    return joined
