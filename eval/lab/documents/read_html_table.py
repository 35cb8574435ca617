"""A table written as HTML."""

from bs4 import BeautifulSoup, Tag

from khub.eval.lab.documents.model import Cell, Row


def read_html_table(html: str) -> list[Row]:
    """Return the rows of a table; a table inside a cell counts as the cell's text."""
    table = BeautifulSoup(html, "lxml").find("table")
    if table is None:
        return []
    for line_break in table.find_all("br"):
        line_break.replace_with(" ")
    rows = [row for row in table.find_all("tr") if row.find_parent("table") is table]
    return [tuple(map(_cell, row.find_all(["td", "th"], recursive=False))) for row in rows]


def _cell(cell: Tag) -> Cell:
    return Cell(cell.get_text(), _count(cell, "colspan"), _count(cell, "rowspan"))


def _count(cell: Tag, attribute: str) -> int:
    value = str(cell.get(attribute, ""))
    return int(value) if value.isdecimal() and 0 < int(value) < 1000 else 1
