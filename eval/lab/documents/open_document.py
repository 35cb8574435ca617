"""A document as flat OpenDocument text, which LibreOffice prints with real headers, footnotes and columns."""

from xml.sax.saxutils import escape

from khub.eval.lab.documents.html import needs_width
from khub.eval.lab.documents.model import (
    Block,
    Code,
    Document,
    Heading,
    Items,
    Link,
    Note,
    Paragraph,
    Quote,
    Row,
    Spans,
    Strong,
    Table,
)
from khub.eval.lab.documents.open_document_styles import styles

SPACES = ' xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0"' + "".join(
    f' xmlns:{prefix}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"'
    for prefix, name in (
        ("style", "style"), ("text", "text"), ("table", "table"), ("fo", "xsl-fo-compatible"),
        ("svg", "svg-compatible"),
    )
) + ' xmlns:xlink="http://www.w3.org/1999/xlink" xmlns:dc="http://purl.org/dc/elements/1.1/"'  # fmt: skip


def to_open_document(document: Document) -> str:
    """Return a document as one .fodt file."""
    title = next((block.text for block in document.blocks if isinstance(block, Heading)), document.name)
    return (
        f'<?xml version="1.0" encoding="UTF-8"?>\n<office:document{SPACES} office:version="1.2" '
        'office:mimetype="application/vnd.oasis.opendocument.text">\n'
        f"<office:meta><dc:title>{escape(title)}</dc:title></office:meta>\n{styles(document)}\n"
        f"<office:body><office:text>\n{_body(document)}\n</office:text></office:body></office:document>\n"
    )


def _body(document: Document) -> str:
    if document.style.columns == 1:
        return "\n".join(_block(block, number) for number, block in enumerate(document.blocks))
    parts: list[str] = []
    inside = False
    for number, block in enumerate(document.blocks):
        over_all = (isinstance(block, Heading) and block.level == 1) or (
            isinstance(block, Table) and needs_width(block)
        )
        if inside and over_all:
            parts.append("</text:section>")
        elif not inside and not over_all:
            parts.append(f'<text:section text:style-name="Columns" text:name="S{number}">')
        inside = not over_all
        parts.append(_block(block, number))
    return "\n".join((*parts, "</text:section>" if inside else ""))


def _block(block: Block, number: int) -> str:
    match block:
        case Heading(level, text):
            return f'<text:h text:style-name="H{level}" text:outline-level="{level}">{escape(text)}</text:h>'
        case Paragraph(spans):
            return f'<text:p text:style-name="Body">{_inline(spans)}</text:p>'
        case Quote(spans):
            return f'<text:p text:style-name="Quote">{_inline(spans)}</text:p>'
        case Items():
            return _items(block)
        case Code(lines):
            text = "<text:line-break/>".join(escape(line).replace("  ", ' <text:s text:c="1"/>') for line in lines)
            return f'<text:p text:style-name="Code">{text}</text:p>'
        case Table():
            caption = f'<text:p text:style-name="Caption">{escape(block.caption)}</text:p>' if block.caption else ""
            return caption + _table(block, number)


def _items(block: Items) -> str:
    style = "Numbers" if block.ordered else "Bullets"
    items = "".join(
        f'<text:list-item><text:p text:style-name="Item">{_inline(item.spans)}</text:p>'
        f"{_items(item.children) if item.children else ''}</text:list-item>"
        for item in block.items
    )
    return f'<text:list text:style-name="{style}" text:continue-numbering="false">{items}</text:list>'


def _inline(spans: Spans) -> str:
    parts = []
    for span in spans:
        match span:
            case Link(text, url):
                parts.append(f'<text:a xlink:type="simple" xlink:href="{escape(url)}">{escape(text)}</text:a>')
            case Strong(text):
                parts.append(f'<text:span text:style-name="Strong">{escape(text)}</text:span>')
            case Note(number, text):
                parts.append(
                    f'<text:note text:note-class="footnote"><text:note-citation>{number}</text:note-citation>'
                    f'<text:note-body><text:p text:style-name="Foot">{escape(text)}</text:p></text:note-body>'
                    "</text:note>"
                )
            case str():
                parts.append(escape(span))
    return "".join(parts)


def _table(table: Table, number: int) -> str:
    widths = _widths(table)
    columns = "".join(f'<table:table-column table:style-name="W{width}"/>' for width in widths)
    head = "".join(_row(row, table, True, line == len(table.head), line > 1) for line, row in enumerate(table.head, 1))
    last = len(table.body) - 1
    body = "".join(_row(row, table, False, line == last, False) for line, row in enumerate(table.body))
    return (
        f'<table:table table:name="T{number}" table:style-name="Table">{columns}'
        f"<table:table-header-rows>{head}</table:table-header-rows>{body}</table:table>"
        '<text:p text:style-name="After"/>'
    )


def _widths(table: Table) -> list[int]:
    """Share 100 among the columns by the longest text of each, as somebody does who drags them with the mouse."""
    count = sum(cell.colspan for cell in table.head[0])
    longest = [4] * count
    for row in (*table.head[-1:], *table.body):
        if len(row) == count:
            longest = [
                max(known, min(32, sum(1 + (ord(letter) > 0x2E80) for letter in cell.text)))
                for known, cell in zip(longest, row, strict=True)
            ]
    longest = [max(length, 9) for length in longest]
    return [max(5, round(100 * length / sum(longest))) for length in longest]


def _row(row: Row, table: Table, head: bool, last: bool, below_merged: bool) -> str:
    cells = ["<table:covered-table-cell/>"] if below_merged else []
    for column, cell in enumerate(row):
        spans = (f' table:number-columns-spanned="{cell.colspan}"' if cell.colspan > 1 else "") + (
            f' table:number-rows-spanned="{cell.rowspan}"' if cell.rowspan > 1 else ""
        )
        line = {"grid": "Grid", "rows": "Rows", "none": "Plain"}.get(table.ruling) or _booktabs(
            head, last, below_merged
        )
        if table.ruling == "booktabs" and cell.rowspan > 1:
            line = "Only"
        side = "Center" if cell.colspan > 1 else "Right" if column + below_merged in table.numeric else "Left"
        cells.append(
            f'<table:table-cell table:style-name="{line}"{spans}>'
            f'<text:p text:style-name="{"Head" if head else "Cell"}{side}">{escape(cell.text)}</text:p>'
            "</table:table-cell>"
        )
        cells += ["<table:covered-table-cell/>"] * (cell.colspan - 1)
    return f'<table:table-row table:style-name="Row">{"".join(cells)}</table:table-row>'


def _booktabs(head: bool, last: bool, below_merged: bool) -> str:
    if head and last:
        return "Middle" if below_merged else "Only"
    return "Top" if head else "Bottom" if last else "Plain"
