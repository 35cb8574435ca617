"""The tables on a sheet, found among the cells that are filled."""

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from components.converters.markdown_table import one_line, write_row_groups

_NUMERIC = re.compile(r"[-+(]?[$€£¥]?\s?\d[\d.,\s]*(?:[eE][-+]?\d+)?\s?[%€)]?|\d{4}-\d\d-\d\d.*|TRUE|FALSE")
_YEAR = re.compile(r"(?:19|20)\d\d")


class Value(NamedTuple):
    """A filled cell.

    :param text: what it shows.
    :param copied: whether it only repeats what a merged cell to its left shows.
    """

    text: str
    copied: bool = False


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


def sheet_markdown(rows: list[Row]) -> str:
    """Write a sheet: its tables, large ones in groups of rows, and the lines of text around them.

    :param rows: the filled cells, in order.
    :returns: Markdown; "" for an empty sheet.
    """
    parts = (_region_markdown(region) for region in _regions(rows))
    return "\n\n".join(part for part in parts if part)


def _regions(rows: list[Row]) -> Iterator[list[Row]]:
    for block in _split_rows(rows):
        columns = _split_columns(block)
        if len(columns) == 1:
            yield block
        for part in columns if len(columns) > 1 else []:
            yield from _split_rows(part)


def _split_rows(rows: list[Row]) -> list[list[Row]]:
    blocks: list[list[Row]] = []
    for row in rows:
        if blocks and row[0] == blocks[-1][-1][0] + 1:
            blocks[-1].append(row)
        else:
            blocks.append([row])
    joined: list[list[Row]] = []
    for block in blocks:
        if joined and _continues(joined[-1], block):
            joined[-1].extend(block)
        else:
            joined.append(block)
    return joined


def _continues(above: list[Row], block: list[Row]) -> bool:
    """Whether a block is the same table as the one above, in spite of the empty rows between."""
    if _width(above) < 2 or not _columns(block) <= _columns(above):
        return False
    if _width(block) < 2:
        return len(block) == 1 and all(_is_number(value.text) for value in block[0][1].values())
    return len(block) == 1 or not _begins_with_header(block)


def _split_columns(block: list[Row]) -> list[list[Row]]:
    used = sorted(_columns(block))
    groups: list[list[int]] = []
    for column in used:
        if groups and column == groups[-1][-1] + 1:
            groups[-1].append(column)
        else:
            groups.append([column])
    parts = []
    for group in groups:
        inside = set(group)
        cut = [(n, {c: v for c, v in cells.items() if c in inside}) for n, cells in block]
        parts.append([row for row in cut if row[1]])
    # An empty column parts two tables only where each side could be one.
    sound = all(_width(part) > 1 and len(part) > 1 and _begins_with_header(part) for part in parts)
    return parts if sound else [block]


def _region_markdown(region: list[Row]) -> str:
    lines = []
    at = 0
    wide = _width(region) > 1
    while at < len(region) and wide and _own(region[at]) == 1 and len(region) > 1:
        lines.append(one_line(next(iter(region[at][1].values())).text))
        at += 1
    table = region[at:]
    if not wide and not _is_column_of_values(table):
        lines += [one_line(value.text) for _, cells in table for value in cells.values()]
        return "\n\n".join(lines)
    first, last = (pick(_columns(table)) for pick in (min, max)) if table else (0, -1)
    headers = _header_rows(table)
    grid = []
    for index, (_, cells) in enumerate(table):
        shown = (cells.get(column) for column in range(first, last + 1))
        grid.append([one_line(v.text) if v and (index < headers or not v.copied) else "" for v in shown])
    return "\n\n".join([*lines, *([write_row_groups(grid, headers)] if grid else [])])


def _header_rows(table: list[Row]) -> int:
    if len(table) < 2:
        return 1
    first, second = table[0][1], table[1][1]
    if any(
        _is_number(value.text)
        and not _YEAR.fullmatch(value.text)
        and column in second
        and _is_number(second[column].text)
        for column, value in first.items()
    ):
        return 0
    below = not any(_is_number(value.text) for value in second.values())
    return 2 if below and len(table) > 2 and any(value.copied for value in first.values()) else 1


def _begins_with_header(block: list[Row]) -> bool:
    (_, first), *rest = block
    if len(first) < 2 or any(_is_number(v.text) and not _YEAR.fullmatch(v.text) for v in first.values()):
        return False
    return any(_is_number(value.text) for _, cells in rest for value in cells.values())


def _is_column_of_values(table: list[Row]) -> bool:
    return len(table) > 1 and all(_is_number(value.text) for _, cells in table[1:] for value in cells.values())


def _is_number(text: str) -> bool:
    return bool(_NUMERIC.fullmatch(text))


def _own(row: Row) -> int:
    return sum(not value.copied for value in row[1].values())


def _columns(rows: list[Row]) -> set[int]:
    return {column for _, cells in rows for column in cells}


def _width(rows: list[Row]) -> int:
    return len(_columns(rows))
