"""The parts of a workbook that openpyxl's fast mode does not read."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from components.converters.office.package import Package, q

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


def merged_ranges(package: Package, part: str) -> Iterator[tuple[int, int, int, int]]:
    """Give first row, first column, last row and last column of each merged cell, from 0 and inclusive."""
    for left, top, right, bottom in _MERGED.findall(package.read(part) or b""):
        yield int(top) - 1, _column(left), int(bottom) - 1, _column(right)


def _column(letters: bytes) -> int:
    number = 0
    for letter in letters:
        number = number * 26 + letter - ord("A") + 1
    return number - 1
