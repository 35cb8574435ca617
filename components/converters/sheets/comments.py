"""Comments on the cells of a sheet."""

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from khub.components.converters.office.package import Package
from khub.components.converters.sheets.rows import Row

_CELL = re.compile(r"([A-Z]{1,3})(\d{1,7})")
_COPY_OF_THREAD = "tc="  # the author of a comment that only stands for a thread, for older programs


class CellComment(NamedTuple):
    """A comment: `cell` is its place as in "B2"."""

    cell: str
    author: str
    text: str


def read_comments(package: Package, part: str) -> list[CellComment]:
    """Return the comments on a sheet, and the remarks of its threads, in the order of the file.

    :param package: the workbook.
    :param part: the sheet's part.
    """
    return [comment for comment in (*_notes(package, part), *_threads(package, part)) if comment.text]


def comment_lines(comments: list[CellComment], rows: list[Row]) -> list[str]:
    """Write comments as lines that name the cell, its column and its row.

    :param comments: on one sheet.
    :param rows: its filled cells.
    """
    cells = {row: {column: value.text for column, value in found.items()} for row, found in rows}
    return [_line(comment, cells) for comment in comments]


def _line(comment: CellComment, cells: dict[int, dict[int, str]]) -> str:
    place = _CELL.fullmatch(comment.cell)
    context = _context(int(place[2]) - 1, _column(place[1]), cells) if place else ""
    author = f" by {comment.author}" if comment.author else ""
    return f"Comment{author} on {comment.cell}{f' ({context})' if context else ''}: {comment.text}"


def _context(row: int, column: int, cells: dict[int, dict[int, str]]) -> str:
    """Return what stands in the first cell of a row, at the head of a column, and in the cell itself."""
    beside = cells.get(row, {})
    top = row
    while column in cells.get(top - 1, {}):
        top -= 1
    left = column
    while left - 1 in beside:
        left -= 1
    named = (beside.get(left), cells.get(top, {}).get(column), beside.get(column))
    return ", ".join(dict.fromkeys(text for text in named if text))


def _notes(package: Package, part: str) -> Iterator[CellComment]:
    for root in _related(package, part, "comments"):
        authors = ["".join(author.itertext()).strip() for author in root.iterfind("{*}authors/{*}author")]
        for comment in root.iter("{*}comment"):
            number = comment.get("authorId") or ""
            author = authors[int(number)] if number.isdigit() and int(number) < len(authors) else ""
            if author.startswith(_COPY_OF_THREAD):
                continue
            text = _words("".join(t.text or "" for t in comment.iterfind("{*}text//{*}t")))
            # Excel writes the author above the text, too.
            yield CellComment(comment.get("ref") or "", author, text.removeprefix(f"{author}:").strip())


def _threads(package: Package, part: str) -> Iterator[CellComment]:
    people = {
        person.get("id"): person.get("displayName") or ""
        for root in _related(package, package.main, "person")
        for person in root.iter("{*}person")
    }
    for root in _related(package, part, "threadedComment"):
        for remark in root.iter("{*}threadedComment"):
            author = people.get(remark.get("personId"), "")
            yield CellComment(remark.get("ref") or "", author, _words(remark.findtext("{*}text") or ""))


def _related(package: Package, part: str, kind: str) -> Iterator[Any]:
    for target in package.related(part, kind):
        if (root := package.xml(target)) is not None:
            yield root


def _words(text: str) -> str:
    return " ".join(text.split())


def _column(letters: str) -> int:
    number = 0
    for letter in letters:
        number = number * 26 + ord(letter) - ord("A") + 1
    return number - 1
