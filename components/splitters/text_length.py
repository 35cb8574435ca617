"""How long a piece of text is, in the unit in which chunk sizes are given."""

import re

import numpy as np

from khub.components.text.leaders import LEADERS
from khub.components.text.tokenizer import HAN, HANGUL, KANA

_WIDE = re.compile(f"[{HAN}{KANA}{HANGUL}]+")
_PARTS = 100
_OF_A_LEADER = 2  # parts that a further mark of a row of leaders counts: a million of them are still several chunks


class TextLength:
    """Measures spans of one text: in characters, of which wide ones (Han, kana, Hangul) may count more than one.

    A Chinese text says about twice as much in a character as an English one, so that the same number of characters
    is a much longer passage for a model. The leaders between a word and its number ("Total ........ 12") say nothing,
    and count next to nothing.

    :param text: the document.
    :param wide_character: what a wide character counts, in steps of 0.01.
    """

    def __init__(self, text: str, wide_character: float = 1.0) -> None:
        self._end = len(text)
        # In whole hundredths of a character: sums of floats would depend on where they begin.
        wide = wide_character if wide_character != 1 and not text.isascii() else 1.0
        leaders = LEADERS.search(text) is not None
        self._sums = _running_sums(text, wide) if leaders or wide != 1 else None

    def of(self, start: int, end: int) -> float:
        """Return the length of `text[start:end]`."""
        return end - start if self._sums is None else float(self._sums[end] - self._sums[start]) / _PARTS

    def reach(self, start: int, size: float) -> int:
        """Return the greatest end of a span that starts at `start` and is at most `size` long."""
        if self._sums is None:
            return min(start + int(size), self._end)
        return int(np.searchsorted(self._sums, self._sums[start] + int(size * _PARTS), side="right")) - 1

    def reach_back(self, end: int, size: float) -> int:
        """Return the smallest start of a span that ends at `end` and is at most `size` long."""
        if self._sums is None:
            return max(end - int(size), 0)
        return int(np.searchsorted(self._sums, self._sums[end] - int(size * _PARTS), side="left"))


def _running_sums(text: str, wide_character: float) -> np.ndarray:
    """Return int64, one more than characters: at `i` the length of `text[:i]`."""
    weights = np.full(len(text) + 1, _PARTS, dtype=np.int64)
    weights[0] = 0
    wide = round(wide_character * _PARTS)
    if wide != _PARTS:
        for run in _WIDE.finditer(text):
            weights[run.start() + 1 : run.end() + 1] = wide
    for run in LEADERS.finditer(text):
        weights[run.start() + 4 : run.end() + 1] = _OF_A_LEADER
    return np.cumsum(weights)
