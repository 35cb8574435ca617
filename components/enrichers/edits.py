"""Edits to a text."""

from collections.abc import Iterable
from typing import NamedTuple


class Edit(NamedTuple):
    """Puts `text` in the place of the characters from `start` to `end`."""

    start: int
    end: int
    text: str = ""


def apply_edits(text: str, edits: Iterable[Edit]) -> str:
    """Make edits.

    :param text: the old text.
    :param edits: in any order; of two that overlap the one that begins first holds.
    :returns: the new text.
    """
    parts, at = [], 0
    for edit in sorted(edits):
        if edit.start >= at:
            parts += [text[at : edit.start], edit.text]
            at = edit.end
    return "".join([*parts, text[at:]])
