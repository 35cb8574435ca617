"""A document as Markdown."""

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
    Table,
    notes_of,
)


def to_markdown(document: Document) -> str:
    """Return a document as Markdown: tables as pipe tables, those with merged cells as HTML; footnotes at the end."""
    parts = [part for block in document.blocks for part in _block(block)]
    parts += [f"[^{note.number}]: {note.text}" for note in notes_of(document)]
    return "\n\n".join(parts).replace("\u00ad", "") + "\n"


def _block(block: Block) -> list[str]:
    match block:
        case Heading(level, text):
            return [f"{'#' * level} {text}"]
        case Paragraph(spans):
            return [_inline(spans)]
        case Quote(spans):
            return [f"> {_inline(spans)}"]
        case Items():
            return ["\n".join(_items(block, ""))]
        case Code(lines):
            return ["\n".join(("```", *lines, "```"))]
        case Table():
            return [block.caption, _table(block)] if block.caption else [_table(block)]


def _items(block: Items, indent: str) -> list[str]:
    lines = []
    for number, item in enumerate(block.items, 1):
        mark = f"{number}. " if block.ordered else "- "
        lines.append(f"{indent}{mark}{_inline(item.spans)}")
        if item.children:
            lines += _items(item.children, indent + " " * len(mark))
    return lines


def _inline(spans: Spans) -> str:
    parts = []
    for span in spans:
        match span:
            case Link(text, url):
                parts.append(f"[{text}]({url})")
            case Strong(text):
                parts.append(f"**{text}**")
            case Note(number, _):
                parts.append(f"[^{number}]")
            case str():
                parts.append(span)
    return "".join(parts)


def _table(table: Table) -> str:
    rows = (*table.head, *table.body)
    if any(cell.colspan > 1 or cell.rowspan > 1 for row in rows for cell in row):
        return "\n".join(("<table>", *(_html_row(row) for row in rows), "</table>"))
    lines = [f"| {' | '.join(cell.text.replace('|', chr(92) + '|') for cell in row)} |" for row in rows]
    lines.insert(1, "|" + " --- |" * len(table.head[0]))
    return "\n".join(lines)


def _html_row(row: Row) -> str:
    cells = []
    for cell in row:
        spans = "".join(
            f' {name}="{count}"' for name, count in (("colspan", cell.colspan), ("rowspan", cell.rowspan)) if count > 1
        )
        cells.append(f"<td{spans}>{escape(cell.text)}</td>")
    return f"<tr>{''.join(cells)}</tr>"
