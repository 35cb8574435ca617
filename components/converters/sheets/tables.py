"""The tables and lines of a sheet as Markdown."""

from khub.components.converters.markdown_table import write_row_groups
from khub.components.converters.sheets.regions import regions
from khub.components.converters.sheets.rows import Row, columns_of, is_lone, without_titles


def sheet_markdown(rows: list[Row]) -> str:
    """Write a sheet: its tables, large ones in groups of rows, and the lines of text around them.

    :param rows: the filled cells, in order.
    :returns: Markdown; "" for an empty sheet.
    """
    parts = (_region_markdown(region) for region in regions(rows))
    return "\n\n".join(part for part in parts if part)


def _region_markdown(region: list[Row]) -> str:
    if len(columns_of(region)) == 1:
        return _lines(region) if not _is_column_of_values(region) else _table(region)
    table = without_titles(region)
    titles = region[: len(region) - len(table)]
    while len(table) > 2 and is_lone(table[-1]) and len(table[-1][1]) > 1:  # a note over several columns
        table = table[:-1]
    notes = region[len(titles) + len(table) :]
    return "\n\n".join(part for part in (_lines(titles), _table(table), _lines(notes)) if part)


def _lines(rows: list[Row]) -> str:
    return "\n\n".join(value.shown for _, cells in rows for value in cells.values() if not value.copied)


def _table(table: list[Row]) -> str:
    columns = sorted(columns_of(table))
    headers = _header_rows(table)
    grid = []
    for index, (_, cells) in enumerate(table):
        shown = (cells.get(column) for column in columns)
        grid.append([v.shown if v and (index < headers or not v.copied) else "" for v in shown])
    return write_row_groups(grid, headers) if grid else ""


def _header_rows(table: list[Row]) -> int:
    if len(table) < 2:
        return 1
    first, second = table[0][1], table[1][1]
    if any(
        value.is_number and not value.is_year and column in second and second[column].is_number
        for column, value in first.items()
    ):
        return 0
    below = not any(value.is_number for value in second.values())
    return 2 if below and len(table) > 2 and any(value.copied for value in first.values()) else 1


def _is_column_of_values(table: list[Row]) -> bool:
    return len(table) > 1 and all(value.is_number for _, cells in table[1:] for value in cells.values())
