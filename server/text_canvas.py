"""Text and lines on a grid of terminal cells; a Chinese character takes two of them."""

import re
from collections import defaultdict

from rich.cells import cell_len, chop_cells

UP, DOWN, LEFT, RIGHT = 1, 2, 4, 8
GLYPHS = {
    UP: "│", DOWN: "│", UP | DOWN: "│", LEFT: "─", RIGHT: "─", LEFT | RIGHT: "─",
    UP | LEFT: "┘", UP | RIGHT: "└", DOWN | LEFT: "┐", DOWN | RIGHT: "┌",
    UP | DOWN | LEFT: "┤", UP | DOWN | RIGHT: "├", UP | LEFT | RIGHT: "┴", DOWN | LEFT | RIGHT: "┬",
    UP | DOWN | LEFT | RIGHT: "┼",
}  # fmt: skip


class TextCanvas:
    """Collects texts and lines by row and column, then returns them as lines of text."""

    def __init__(self) -> None:
        self._texts: dict[tuple[int, int], str] = {}
        self._lines: dict[tuple[int, int], dict[str, int]] = defaultdict(dict)

    def write(self, row: int, column: int, text: str) -> None:
        """Put a text; it hides the lines below it."""
        for character in text:
            self._texts[row, column] = character
            for covered in range(1, cell_len(character)):
                self._texts[row, column + covered] = ""
            column += cell_len(character)

    def vertical(self, owner: str, column: int, top: int, bottom: int) -> None:
        """Draw a line downwards; lines of one owner join, those of others cross."""
        for row in range(top, bottom):
            self._add(owner, row, column, DOWN)
            self._add(owner, row + 1, column, UP)

    def horizontal(self, owner: str, row: int, left: int, right: int) -> None:
        """Draw a line to the right; lines of one owner join, those of others cross."""
        for column in range(left, right):
            self._add(owner, row, column, RIGHT)
            self._add(owner, row, column + 1, LEFT)

    def _add(self, owner: str, row: int, column: int, direction: int) -> None:
        at = self._lines[row, column]
        at[owner] = at.get(owner, 0) | direction

    def lines(self) -> list[str]:
        """Return the picture; where two owners' lines cross, the vertical one lies on top."""
        shown = {place: _glyph(owners) for place, owners in self._lines.items()} | self._texts
        rows = range(max((row for row, _ in shown), default=-1) + 1)
        columns = range(max((column for _, column in shown), default=-1) + 1)
        return ["".join(shown.get((row, column), " ") for column in columns).rstrip() for row in rows]


def _glyph(owners: dict[str, int]) -> str:
    upright = [directions for directions in owners.values() if directions & (UP | DOWN)]
    return GLYPHS[upright[0] if upright else next(iter(owners.values()))]


def wrap(text: str, width: int) -> list[str]:
    """Return a text in lines of so many terminal cells at most, broken between words where that is possible.

    A word that is too long for a line is broken before one of its capitals, or else wherever the line ends.
    """
    lines: list[str] = []
    for word in text.split():
        if lines and cell_len(lines[-1]) + 1 + cell_len(word) <= width:
            lines[-1] += f" {word}"
        else:
            lines += _broken(word, width)
    return lines


def _broken(word: str, width: int) -> list[str]:
    lines: list[str] = []
    for part in re.split("(?<=[a-z])(?=[A-Z])", word):
        if lines and cell_len(lines[-1]) + cell_len(part) <= width:
            lines[-1] += part
        else:
            lines += chop_cells(part, width)
    return lines
