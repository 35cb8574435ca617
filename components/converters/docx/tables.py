"""Tables of a Word file."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from khub.components.converters.docx.styles import is_on, to_int, value
from khub.components.converters.markdown_table import Cell, lay_out, write_table
from khub.components.converters.office.package import NAMES, q

_MOST_HEADER_ROWS = 3


@dataclass(slots=True)
class _Placed:
    cell: Any
    column: int
    columns: int
    merge: str | None
    header: bool


def only_cell(table: Any) -> Any | None:
    """Return the cell of a table that has but one: a frame around text, no table."""
    cells = [placed.cell for row in _rows(table) for placed in row]
    return cells[0] if len(cells) == 1 else None


def read_table(table: Any, cell_text: Callable[[Any], str]) -> str:
    """Write a table as Markdown.

    :param table: `w:tbl`.
    :param cell_text: gives the text of a `w:tc`, on one line.
    :returns: the table; what stands in a first row of one cell only comes before it, in bold.
    """
    rows = list(_rows(table))
    cells: list[list[Cell]] = []
    for index, row in enumerate(rows):
        line = [
            Cell(cell_text(placed.cell), placed.columns, _rows_spanned(rows, index, placed), placed.header)
            for placed in row
            if placed.merge != "continue"
        ]
        cells.append(line)
    return table_with_caption(cells)


def table_with_caption(cells: list[list[Cell]]) -> str:
    """Write a table whose first row may be its caption: one cell over all columns.

    :param cells: rows as for `lay_out`.
    :returns: the Markdown.
    """
    width = max((sum(cell.columns for cell in row) for row in cells), default=0)
    caption = ""
    if len(cells) > 2 and len(cells[0]) == 1 and cells[0][0].columns == width > 1:
        caption = cells[0][0].text.strip("*")
        cells = cells[1:]
    grid, headers = lay_out(cells)
    if headers == 0 and _has_two_header_rows(cells):
        grid, headers = lay_out([[Cell(c.text, c.columns, c.rows, n < 2) for c in row] for n, row in enumerate(cells)])
    headers = min(max(headers, 1), _MOST_HEADER_ROWS)
    grid = [[text.replace("**", "") for text in row] if n < headers else row for n, row in enumerate(grid)]
    return "\n\n".join(part for part in (f"**{caption}**" if caption else "", write_table(grid, headers)) if part)


def _has_two_header_rows(cells: list[list[Cell]]) -> bool:
    # Names over several columns, beside nothing but names that reach down to the row of the columns' own names.
    first = cells[0] if len(cells) > 2 else []
    return any(cell.columns > 1 for cell in first) and all(
        cell.columns > 1 or cell.rows == 2 or not cell.text for cell in first
    )


def _rows(table: Any) -> Iterator[list[_Placed]]:
    for row in _children(table, "w:tr"):
        properties = row.find(q("w:trPr"))
        if properties is not None and properties.find(q("w:del")) is not None:
            continue
        header = None if properties is None else properties.find(q("w:tblHeader"))
        is_header = header is not None and is_on(header.get(q("w:val"), "1"))
        column = 0 if properties is None else to_int(value(properties.find(q("w:gridBefore")))) or 0
        placed = []
        for cell in _children(row, "w:tc"):
            columns = max(1, to_int(value(cell.find("w:tcPr/w:gridSpan", NAMES))) or 1)
            merged = cell.find("w:tcPr/w:vMerge", NAMES)
            merge = None if merged is None else merged.get(q("w:val")) or "continue"
            placed.append(_Placed(cell, column, columns, merge, is_header))
            column += columns
        if placed:
            yield placed


def _children(element: Any, name: str) -> Iterator[Any]:
    for child in element:
        if child.tag == q(name):
            yield child
        elif child.tag in {q("w:sdt"), q("w:sdtContent"), q("w:customXml"), q("w:ins")}:
            yield from _children(child, name)


def _rows_spanned(rows: list[list[_Placed]], index: int, placed: _Placed) -> int:
    if placed.merge != "restart":
        return 1
    count = 1
    for row in rows[index + 1 :]:
        if not any(one.column == placed.column and one.merge == "continue" for one in row):
            break
        count += 1
    return count
