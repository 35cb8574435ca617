"""Edits to a text, and where every offset of the old text lies in the new one."""

from bisect import bisect_right
from collections.abc import Iterable
from typing import NamedTuple


class Edit(NamedTuple):
    """Puts `text` in the place of the characters from `start` to `end`."""

    start: int
    end: int
    text: str = ""


class Moved:
    """Offsets of the old text in the new one.

    :param edits: those that were made, in order and apart from each other.
    """

    def __init__(self, edits: list[Edit]) -> None:
        self._ends = [edit.end for edit in edits]
        self._starts = [edit.start for edit in edits]
        self._shifts = [0]
        for edit in edits:
            self._shifts.append(self._shifts[-1] + len(edit.text) - (edit.end - edit.start))

    def __call__(self, offset: int) -> int:
        """Return the new offset; one inside a replaced part moves behind what replaced it."""
        done = bisect_right(self._ends, offset)
        if done < len(self._starts) and self._starts[done] < offset:
            offset, done = self._ends[done], done + 1
        return offset + self._shifts[done]


def apply_edits(text: str, edits: Iterable[Edit]) -> tuple[str, Moved]:
    """Make edits.

    :param text: the old text.
    :param edits: in any order; of two that overlap the one that begins first holds.
    :returns: the new text, and where the old offsets went.
    """
    kept: list[Edit] = []
    for edit in sorted(edits):
        if (not kept or edit.start >= kept[-1].end) and text[edit.start : edit.end] != edit.text:
            kept.append(edit)
    parts, at = [], 0
    for edit in kept:
        parts += [text[at : edit.start], edit.text]
        at = edit.end
    return "".join([*parts, text[at:]]), Moved(kept)
