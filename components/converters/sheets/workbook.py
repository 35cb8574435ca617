"""The parts of a workbook that openpyxl's fast mode does not read."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from khub.components.converters.office.package import Package, q

_ROW = re.compile(rb"<(?:\w+:)?row\s[^<>]*+>")
_COLUMNS = re.compile(rb"<(?:\w+:)?col\s[^<>]*+>")
_HIDDEN = re.compile(rb'\shidden="(?:1|true)"')
_NUMBER = re.compile(rb'\s(r|min|max)="(\d+)"')
_NO_VALUE = re.compile(
    rb"(?:</(?:\w++:)?f>|<(?:\w++:)?f\s[^<>]*+(?<=/)>)\s*+"
    rb"(?:<(?:\w++:)?v\s*+/>|<(?:\w++:)?v>\s*+</(?:\w++:)?v>)?\s*+</(?:\w++:)?c>"
)
_MERGED = re.compile(rb'<(?:\w+:)?mergeCell\s+ref="([A-Z]{1,3})(\d{1,7}):([A-Z]{1,3})(\d{1,7})"')


_SPACES = (
    "http://schemas.openxmlformats.org/spreadsheetml/2006/main",
    "http://purl.oclc.org/ooxml/spreadsheetml/main",
)


@dataclass(frozen=True, slots=True)
class Sheet:
    """A sheet of a workbook.

    :param name: on its tab.
    :param part: its part in the file.
    :param state: "visible", "hidden" or "veryHidden" (which only a program can show).
    """

    name: str
    part: str
    state: str


def list_sheets(package: Package) -> list[Sheet]:
    """Return the sheets in the order of their tabs."""
    root = package.main_xml()
    relations = package.relations(package.main)
    found = []
    for element in root.iter(*(f"{{{space}}}sheet" for space in _SPACES)):
        relation = relations.get(element.get(q("r:id")) or "")
        if relation is not None:
            found.append(Sheet(element.get("name") or "", relation.target, element.get("state") or "visible"))
    return found


def merged_ranges(sheet: bytes) -> Iterator[tuple[int, int, int, int]]:
    """Give first row, first column, last row and last column of each merged cell, from 0 and inclusive."""
    for left, top, right, bottom in _MERGED.findall(sheet):
        yield int(top) - 1, _column(left), int(bottom) - 1, _column(right)


def hidden_rows(sheet: bytes) -> set[int]:
    """Return the numbers, from 0, of the rows that a sheet does not show.

    :param sheet: the sheet's part.
    """
    return {start for start, _ in _hidden(_ROW, sheet)}


def hidden_columns(sheet: bytes) -> list[tuple[int, int]]:
    """Return first and last of the columns, from 0, that a sheet does not show."""
    return list(_hidden(_COLUMNS, sheet))


def has_formula_without_value(sheet: bytes) -> bool:
    """Whether a formula's result may not be in the file: it was written by a program that does not calculate."""
    return _NO_VALUE.search(sheet) is not None


def _hidden(tag: re.Pattern[bytes], sheet: bytes) -> Iterator[tuple[int, int]]:
    for found in tag.findall(sheet):
        if _HIDDEN.search(found):
            numbers = [int(number) - 1 for _, number in _NUMBER.findall(found)]
            if numbers:
                yield min(numbers), max(numbers)


def _column(letters: bytes) -> int:
    number = 0
    for letter in letters:
        number = number * 26 + letter - ord("A") + 1
    return number - 1
