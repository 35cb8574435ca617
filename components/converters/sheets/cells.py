"""The filled cells of a sheet, as it shows them."""

import io
from typing import Any

import openpyxl

from khub.components.converters.sheets.rich_text import plain_value, raised_inline_texts
from khub.components.converters.sheets.rows import Row, Value
from khub.components.converters.sheets.shown_value import shown
from khub.components.converters.sheets.workbook import has_formula_without_value, hidden_columns, hidden_rows

_HIDDEN_ROW = "(hidden row)"
_HIDDEN_COLUMN = "(hidden column)"


class CellReader:
    """Reads the sheets of one workbook as they were last calculated.

    :param data: the file.
    """

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._book = _open(data, data_only=True)
        self._formulas: Any | None = None
        self.not_calculated = 0

    def close(self) -> None:
        """Close the workbook."""
        for book in (self._book, self._formulas):
            if book is not None:
                book.close()

    def read(self, name: str, part: bytes) -> list[Row]:
        """Read one sheet.

        A formula whose result is not in the file stands for it, and is counted in `not_calculated`.

        :param name: on its tab.
        :param part: its XML.
        :returns: its filled cells; the first one of a hidden row or column is marked.
        """
        sheet = _sheet(self._book, name)
        if sheet is None:
            return []
        raised = raised_inline_texts(part)
        cells = [list(row) for row in sheet.iter_rows()] if has_formula_without_value(part) else sheet.iter_rows()
        rows = [(number, _filled(number, row, raised)) for number, row in enumerate(cells) if row]
        if isinstance(cells, list):
            self._add_formulas(name, rows, cells)
        rows = [row for row in rows if row[1]]
        _mark_hidden(rows, hidden_rows(part), hidden_columns(part))
        return rows

    def _add_formulas(self, name: str, rows: list[Row], calculated: list[list[Any]]) -> None:
        if self._formulas is None:
            self._formulas = _open(self._data, data_only=False)
        sheet = _sheet(self._formulas, name)
        numbered = dict(rows)
        for number, (row, cells) in enumerate(zip(sheet.iter_rows() if sheet else (), calculated, strict=False)):
            filled = numbered.get(number, {})
            for column, (cell, result) in enumerate(zip(row, cells, strict=False)):
                empty_text = result.data_type == "str"  # the result is in the file: a text of no length
                if cell.data_type != "f" or result.value is not None or empty_text:
                    continue
                formula = getattr(cell.value, "text", cell.value)  # that of several cells is an object
                if text := shown(formula):
                    filled[column] = Value(text)
                    self.not_calculated += 1


def _open(data: bytes, data_only: bool) -> Any:
    return openpyxl.load_workbook(
        io.BytesIO(data), read_only=True, data_only=data_only, keep_links=False, rich_text=True
    )


def _sheet(book: Any, name: str) -> Any | None:
    sheet = next((one for one in book.worksheets if one.title == name), None)
    if sheet is not None:
        sheet.reset_dimensions()
    return sheet


def _filled(number: int, row: Any, raised: dict[tuple[int, int], str]) -> dict[int, Value]:
    cells = {}
    for column, cell in enumerate(row):
        if cell.value is None:
            continue
        value = raised.get((number, column)) or plain_value(cell.value)
        if text := shown(value, cell.number_format):
            cells[column] = Value(text)
    return cells


def _mark_hidden(rows: list[Row], hidden: set[int], columns: list[tuple[int, int]]) -> None:
    for number, cells in rows:
        if number in hidden:
            first = min(cells)
            cells[first] = cells[first].marked(_HIDDEN_ROW)
    used = sorted({column for _, cells in rows for column in cells})
    for column in (column for column in used if any(left <= column <= right for left, right in columns)):
        cells = next(cells for _, cells in rows if column in cells)
        cells[column] = cells[column].marked(_HIDDEN_COLUMN)
