"""A document as a page that Chromium prints."""

from html import escape

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
    Style,
    Table,
    notes_of,
)

FONTS = {
    ("en", True): '"Liberation Serif", serif',
    ("en", False): '"Liberation Sans", sans-serif',
    ("zh", True): '"Noto Serif CJK SC", serif',
    ("zh", False): '"Noto Sans CJK SC", sans-serif',
}
LINES = """.grid td, .grid th { border: 0.6pt solid #444 }
.rows tr { border-bottom: 0.5pt solid #999 }
table.booktabs { border-top: 1.2pt solid; border-bottom: 1.2pt solid } .booktabs .h { border-bottom: 0.7pt solid }"""
WIDE = 5  # columns from which a table goes over both columns of the page


def to_html(document: Document) -> str:
    """Return a document as one HTML file with its print style."""
    body = "\n".join(_block(block, document.style) for block in document.blocks)
    notes = "".join(f"<p><sup>{note.number}</sup> {escape(note.text)}</p>" for note in notes_of(document))
    foot = f'<div class="notes">{notes}</div>' if notes else ""
    title = next((block.text for block in document.blocks if isinstance(block, Heading)), document.name)
    return (
        f'<!DOCTYPE html>\n<html lang="{document.language}">\n<head><meta charset="utf-8">'
        f"<title>{escape(title)}</title>\n<style>\n{_css(document)}\n</style></head>\n"
        f"<body><main>\n{body}\n{foot}</main></body>\n</html>\n"
    )


def _css(document: Document) -> str:
    style = document.style
    before, _, after = style.footer.partition("{page}")
    footer = f'content: "{before}" counter(page) "{after}"' if style.footer else 'content: ""'
    gap = "0; text-indent: 2em" if style.indented else "0 0 0.7em 0"
    columns = f"column-count: {style.columns}; column-gap: 8mm" if style.columns > 1 else ""
    return f"""@page {{ size: A4; margin: 24mm 20mm 22mm;
  @top-center {{ content: "{style.header}"; font-size: 8pt; color: #444 }}
  @bottom-center {{ {footer}; font-size: 8pt }} }}
body {{ font: {style.size}pt/1.4 {FONTS[document.language, style.serif]}; margin: 0; hyphens: manual;
  text-align: {"justify" if style.justified else "left"} }}
main {{ {columns} }}
h1 {{ font-size: 2em; column-span: all; margin: 0 0 0.6em; text-align: left }}
h2 {{ font-size: 1.5em; margin: 1em 0 0.4em; text-align: left }}
h3 {{ font-size: 1.22em; margin: 0.9em 0 0.3em; text-align: left }}
h4 {{ font-size: 1em; margin: 0.8em 0 0.2em; text-align: left }}
h1, h2, h3, h4, .caption {{ break-after: avoid }}
p {{ margin: {gap} }}
ul, ol {{ margin: 0.3em 0 0.8em; padding-left: 1.8em; text-indent: 0 }}
blockquote {{ margin: 0.6em 2em; font-style: italic }} blockquote p {{ text-indent: 0 }}
pre {{ font: 0.85em/1.3 "Liberation Mono", monospace; background: #f2f2f2; padding: 0.6em; white-space: pre-wrap;
  text-align: left }}
table {{ border-collapse: collapse; margin: 0.2em 0 1em; font-size: 0.9em; text-align: left; line-height: 1.25 }}
table.spread {{ column-span: all }}
th, td {{ padding: 2.5pt 6pt; vertical-align: top; max-width: 58mm; font-weight: normal }}
th {{ font-weight: bold }} .r {{ text-align: right }} .c {{ text-align: center }} tr {{ break-inside: avoid }}
{LINES}
.caption {{ margin: 0.8em 0 0.3em; text-indent: 0; font-size: 0.92em; text-align: left }}
.caption.spread {{ column-span: all }}
.notes {{ border-top: 0.5pt solid; margin-top: 2em; font-size: 0.82em; width: 100% }}
.notes p {{ text-indent: 0; margin: 0.3em 0 }}
a {{ color: #024 }}"""


def _block(block: Block, style: Style) -> str:
    match block:
        case Heading(level, text):
            return f"<h{level}>{escape(text)}</h{level}>"
        case Paragraph(spans):
            return f"<p>{_inline(spans)}</p>"
        case Quote(spans):
            return f"<blockquote><p>{_inline(spans)}</p></blockquote>"
        case Items():
            return _items(block)
        case Code(lines):
            return f"<pre>{escape(chr(10).join(lines))}</pre>"
        case Table():
            return _table(block, style)


def _items(block: Items) -> str:
    tag = "ol" if block.ordered else "ul"
    items = (f"<li>{_inline(item.spans)}{_items(item.children) if item.children else ''}</li>" for item in block.items)
    return f"<{tag}>{''.join(items)}</{tag}>"


def _inline(spans: Spans) -> str:
    parts = []
    for span in spans:
        match span:
            case Link(text, url):
                parts.append(f'<a href="{escape(url)}">{escape(text)}</a>')
            case Strong(text):
                parts.append(f"<strong>{escape(text)}</strong>")
            case Note(number, _):
                parts.append(f"<sup>{number}</sup>")
            case str():
                parts.append(escape(span))
    return "".join(parts)


def _table(table: Table, style: Style) -> str:
    spread = " spread" if style.columns > 1 and needs_width(table) else ""
    head = "".join(_row(row, "th", table, number == len(table.head)) for number, row in enumerate(table.head, 1))
    body = "".join(_row(row, "td", table, False) for row in table.body)
    caption = f'<p class="caption{spread}">{escape(table.caption)}</p>' if table.caption else ""
    return f'{caption}<table class="{table.ruling}{spread}"><thead>{head}</thead><tbody>{body}</tbody></table>'


def needs_width(table: Table) -> bool:
    """Whether a table is too wide for half a page: many columns, or phrases in its cells."""
    rows = (*table.head, *table.body)
    return sum(cell.colspan for cell in rows[0]) >= WIDE or max(len(cell.text) for row in rows for cell in row) > 22


def _row(row: Row, tag: str, table: Table, last_of_head: bool) -> str:
    cells = []
    shift = 1 if tag == "th" and last_of_head and len(table.head) > 1 else 0  # the first column is taken from above
    for column, cell in enumerate(row):
        side = "c" if cell.colspan > 1 else "r" if column + shift in table.numeric else ""
        line = "h" if last_of_head or (tag == "th" and cell.rowspan > 1) else ""
        spans = "".join(
            f' {name}="{count}"' for name, count in (("colspan", cell.colspan), ("rowspan", cell.rowspan)) if count > 1
        )
        cells.append(f'<{tag} class="{" ".join(filter(None, (side, line)))}"{spans}>{escape(cell.text)}</{tag}>')
    return f"<tr>{''.join(cells)}</tr>"
