"""A table written as HTML."""

from html.parser import HTMLParser

from eval.lab.documents.model import Cell, Row


def read_html_table(html: str) -> list[Row]:
    """Return the rows of a table; a table inside a cell counts as the cell's text."""
    parser = _Parser()
    parser.feed(html)
    parser.close()
    return [tuple(row) for row in parser.rows]


class _Parser(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.rows: list[list[Cell]] = []
        self.depth = 0
        self.open: tuple[int, int] | None = None
        self.text: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.depth += tag == "table"
        if tag == "br":
            self.text.append(" ")
        if self.depth != 1:
            return
        if tag == "tr":
            self._close()
            self.rows.append([])
        elif tag in {"td", "th"}:
            self._close()
            given = dict(attrs)
            self.open = (_count(given.get("colspan")), _count(given.get("rowspan")))
            self.text = []

    def handle_endtag(self, tag: str) -> None:
        if self.depth == 1 and tag in {"td", "th", "tr", "table"}:
            self._close()
        self.depth -= tag == "table"

    def handle_data(self, data: str) -> None:
        self.text.append(data)

    def _close(self) -> None:
        if self.open is None:
            return
        if not self.rows:
            self.rows.append([])
        self.rows[-1].append(Cell("".join(self.text), *self.open))
        self.open = None


def _count(value: str | None) -> int:
    return int(value) if value and value.isdecimal() and 0 < int(value) < 1000 else 1
