"""A source text as a workbook: a sheet for each `# ` heading and its table."""

import io
import re
from pathlib import Path

from markdown_it.tree import SyntaxTreeNode
from xlsxwriter import Workbook
from xlsxwriter.format import Format
from xlsxwriter.worksheet import Worksheet

from khub.eval.lab.samples_source.fixed_zip import FIXED_DATE, write_fixed_zip
from khub.eval.lab.samples_source.markdown_source import Source, plain, table_rows

_FORMULA = re.compile(r"(=.+?)\s+=>\s+(.+)")
_NUMBER = re.compile(r"-?\d+(\.\d+)?")
_WIDEST = 60


def write_xlsx(source: Source, target: Path, author: str) -> None:
    """Render a source text. A cell `=B2*C2 => 42` is a formula with the value that was last calculated.

    :param source: the text.
    :param target: the file to write.
    :param author: for the document's metadata.
    :raises ValueError: when a sheet is not a heading and a table.
    """
    buffer = io.BytesIO()
    with Workbook(buffer, {"in_memory": True}) as workbook:
        workbook.set_properties({"title": source.title, "author": author, "created": FIXED_DATE})
        head = workbook.add_format({"bold": True, "bg_color": "#DDE7F0", "text_wrap": True, "valign": "top"})
        body = workbook.add_format({"text_wrap": True, "valign": "top"})
        headings, tables = source.blocks[::2], source.blocks[1::2]
        for heading, table in zip(headings, tables, strict=True):
            if heading.type != "heading" or table.type != "table":
                raise ValueError(f"{source.name}: a sheet is a heading and one table, not {table.type}")
            _fill(workbook.add_worksheet(plain(heading)), table, head, body)
    write_fixed_zip(buffer, target)


def _fill(sheet: Worksheet, table: SyntaxTreeNode, head: Format, body: Format) -> None:
    rows = [[_content(cell) for cell in row] for row in table_rows(table)]
    for number, row in enumerate(rows):
        for column, cell in enumerate(row):
            _write(sheet, number, column, cell, body if number else head)
    for column in range(len(rows[0])):
        longest = max(len(_shown(row[column]).encode("gbk", "replace")) for row in rows)
        sheet.set_column(column, column, min(longest + 2, _WIDEST))
    sheet.freeze_panes(1, 0)
    sheet.set_landscape()
    sheet.fit_to_pages(1, 0)


def _content(cell: SyntaxTreeNode) -> str:
    """Return a cell's text; a formula as it was written, since its asterisks mark nothing."""
    written = cell.children[0].content if cell.children else ""
    return written if written.startswith("=") else plain(cell)


def _write(sheet: Worksheet, row: int, column: int, cell: str, look: Format) -> None:
    formula = _FORMULA.fullmatch(cell)
    if formula:
        sheet.write_formula(row, column, formula[1], look, _typed(formula[2]))
    elif isinstance(_typed(cell), str):
        sheet.write_string(row, column, cell, look)
    else:
        sheet.write_number(row, column, _typed(cell), look)


def _shown(cell: str) -> str:
    formula = _FORMULA.fullmatch(cell)
    return formula[2] if formula else cell


def _typed(cell: str) -> str | float:
    if not _NUMBER.fullmatch(cell):
        return cell
    return float(cell) if "." in cell else int(cell)
