"""Tables with merged cells as Markdown."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

GROUP_CHARACTERS = 700
"""A group of rows with its header stays below the default chunk size, so that it is never cut."""

_MAX_SPAN = 1000


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell as a document gives it.

    :param text: on one line.
    :param columns: how many columns it spans.
    :param rows: how many rows it spans.
    :param header: whether the document says that it is a heading.
    """

    text: str
    columns: int = 1
    rows: int = 1
    header: bool = False


def one_line(text: str) -> str:
    """Return text that fits a table cell: on one line, bars escaped."""
    return re.sub(r"(?<!\\)\|", r"\\|", " ".join(text.split()))


def lay_out(rows: Iterable[list[Cell]]) -> tuple[list[list[str]], int]:
    """Give every cell its columns and rows.

    The text of a cell that spans rows stands in each of them, so that a row means something alone. That of one that
    spans columns stands in its first column; in a header of several rows in all of them, for the rows to be joined.

    :param rows: each with its own cells only, as in HTML: what a cell of a row above covers is not given again.
    :returns: rows of equal length, and how many at the top are headers by what the document says.
    """
    given = list(rows)
    headers = next((n for n, row in enumerate(given) if not row or not all(c.header for c in row)), len(given))
    grid: list[dict[int, str]] = []
    covered: dict[int, tuple[int, str]] = {}
    for index, row in enumerate(given):
        line = {column: text for column, (_, text) in covered.items()}
        covered = {column: (left - 1, text) for column, (left, text) in covered.items() if left > 1}
        column = 0
        for cell in row:
            while column in line:
                column += 1
            for offset in range(min(cell.columns, _MAX_SPAN)):
                if column + offset in line:
                    break
                text = cell.text if not offset or index < headers else ""
                line[column + offset] = text
                if cell.rows > 1:
                    covered[column + offset] = (cell.rows - 1, text)
        grid.append(line)
    width = max((max(line, default=-1) + 1 for line in grid), default=0)
    return [[line.get(column, "") for column in range(width)] for line in grid], headers


def write_table(rows: list[list[str]], headers: int = 1) -> str:
    """Write a Markdown table, without rows and columns in which there is nothing.

    :param rows: cells as `one_line` gives them; rows may differ in length.
    :param headers: how many rows at the top are the header; several become one, none an empty one.
    :returns: the table, or "" when all cells are empty.
    """
    lines = _lines(rows, headers)
    return "\n".join(lines)


def write_row_groups(rows: list[list[str]], headers: int = 1, limit: int = GROUP_CHARACTERS) -> str:
    """Write a table as `write_table` does; a large one as several, each with the header above its rows.

    :param rows: as for `write_table`.
    :param headers: as for `write_table`; without one there are no groups.
    :param limit: characters that a group may have, if it has more than one row.
    :returns: the tables with blank lines between them.
    """
    lines = _lines(rows, headers)
    if not headers or sum(map(len, lines)) + len(lines) <= limit:
        return "\n".join(lines)
    head = "\n".join(lines[:2])
    groups: list[list[str]] = []
    length = 0
    for line in lines[2:]:
        if not groups or length + len(line) + 1 > limit:
            groups.append([head])
            length = len(head)
        groups[-1].append(line)
        length += len(line) + 1
    return "\n\n".join("\n".join(group) for group in groups)


def _lines(rows: list[list[str]], headers: int) -> list[str]:
    used = sorted({column for row in rows for column, cell in enumerate(row) if cell})
    if not used:
        return []
    kept = [[row[c] if c < len(row) else "" for c in used] for row in rows]
    head = [_joined(column) for column in zip(*kept[:headers], strict=True)] if headers else [""] * len(used)
    body = [row for row in kept[headers:] if any(row)]
    return [_line(head), "|" + " --- |" * len(used), *map(_line, body)]


def _joined(names: Iterable[str]) -> str:
    return " ".join(dict.fromkeys(name for name in names if name))


def _line(cells: Iterable[str]) -> str:
    return "| " + " | ".join(cells) + " |"
