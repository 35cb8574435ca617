"""The filled cells of a sheet, row by row."""

import re
from collections.abc import Iterable
from typing import NamedTuple

from khub.components.converters.markdown_table import one_line

_NUMERIC = re.compile(
    r"[-+(]?[$€£¥]?\s?\d[\d.,\s]*(?:[eE][-+]?\d+)?\s?[%€)]?|\d{4}-\d\d-\d\d.*|-?\d+(?::\d\d){1,2}|TRUE|FALSE|=.+|#[A-Z/0]+[!?A]"
)
_YEAR = re.compile(r"(?:19|20)\d\d")


class Value(NamedTuple):
    """A filled cell.

    :param text: what it holds.
    :param copied: whether it only repeats what a merged cell to its left shows.
    :param mark: what has to be said of it.
    """

    text: str
    copied: bool = False
    mark: str = ""

    @property
    def shown(self) -> str:
        """Its text and mark, for a cell of a Markdown table."""
        return one_line(f"{self.text} {self.mark}")

    def marked(self, mark: str) -> "Value":
        """Return the cell with a further mark."""
        return self._replace(mark=f"{self.mark} {mark}".strip())

    @property
    def is_number(self) -> bool:
        """Whether it is a number, a date, a truth value or a formula."""
        return bool(_NUMERIC.fullmatch(self.text))

    @property
    def is_year(self) -> bool:
        """Whether it may be a year: a number that also heads a column."""
        return bool(_YEAR.fullmatch(self.text))


Row = tuple[int, dict[int, Value]]
"""A row number and the filled cells by their column number."""


def filled_rows(rows: Iterable[Iterable[str]]) -> list[Row]:
    """Return rows of text with their numbers, without the cells that are empty."""
    numbered = ((n, {c: Value(text) for c, text in enumerate(row) if text}) for n, row in enumerate(rows))
    return [row for row in numbered if row[1]]


def spread_merged(rows: list[Row], ranges: Iterable[tuple[int, int, int, int]]) -> list[Row]:
    """Write what a merged cell shows into the cells that it covers.

    :param rows: in order.
    :param ranges: first row, first column, last row, last column of each merged cell; all inclusive.
    :returns: the rows.
    """
    numbers = dict(rows)
    for top, left, bottom, right in ranges:
        value = numbers.get(top, {}).get(left)
        if value is None:
            continue
        # Only rows in which something stands: a range may reach down the whole sheet.
        covered = [top] if bottom == top else [n for n in range(top, min(bottom, top + len(rows)) + 1) if n in numbers]
        for row in covered:
            for column in range(left, min(right, left + 1000) + 1):
                numbers[row].setdefault(column, Value(value.text, copied=column > left))
    return rows


def is_lone(row: Row) -> bool:
    """Whether one cell is all that stands in a row, be it merged with others or not."""
    return sum(not value.copied for value in row[1].values()) == 1


def without_titles(rows: list[Row]) -> list[Row]:
    """Return rows without those at the top that hold one cell each."""
    first = next((index for index, row in enumerate(rows) if not is_lone(row)), len(rows))
    return rows[first:]


def columns_of(rows: list[Row]) -> set[int]:
    """Return the numbers of the columns in which something stands."""
    return {column for _, cells in rows for column in cells}
