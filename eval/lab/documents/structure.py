"""What a reader should get out of a document: headings, tables, text in reading order."""

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass

from khub.eval.lab.documents.model import (
    Cell,
    Code,
    Document,
    Heading,
    Items,
    Paragraph,
    Quote,
    Row,
    Table,
    notes_of,
    plain,
)

SPACE = re.compile(r"\s+")
HAN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
# Programs set a gap between Han and Latin letters or digits; whether that is a blank is a matter of taste.
GAP = re.compile(rf"(?<=[{HAN}]) (?=[A-Za-z0-9])|(?<=[A-Za-z0-9%]) (?=[{HAN}])")


@dataclass(frozen=True)
class Grid:
    """A table as it was found.

    :param rows: cells of each row, merged ones once, with their spans.
    """

    rows: tuple[Row, ...]


@dataclass(frozen=True)
class Text:
    """A paragraph, list or anything else that is neither a heading nor a table.

    :param text: without Markdown's signs.
    """

    text: str


Part = Heading | Grid | Text


@dataclass(frozen=True)
class Structure:
    """A document's content.

    :param parts: in reading order.
    :param notes: footnotes, which may stand anywhere.
    """

    parts: tuple[Part, ...]
    notes: tuple[str, ...] = ()

    @property
    def headings(self) -> list[Heading]:
        """All headings."""
        return [part for part in self.parts if isinstance(part, Heading)]

    @property
    def grids(self) -> list[Grid]:
        """All tables."""
        return [part for part in self.parts if isinstance(part, Grid)]

    @property
    def text(self) -> str:
        """All text in reading order, tables row by row, in the form in which texts are compared."""
        return tidy(" ".join(_words(part) for part in self.parts))


def tidy(text: str) -> str:
    """Return a text as it is compared: NFKC, no soft hyphens, one blank for white space, none between Han and Latin."""
    return GAP.sub("", SPACE.sub(" ", unicodedata.normalize("NFKC", text.replace("\u00ad", "")))).strip()


def truth_of(document: Document) -> Structure:
    """Return what a perfect reader would find in a document."""
    parts: list[Part] = []
    for block in document.blocks:
        match block:
            case Heading(level, text):
                parts.append(Heading(level, tidy(text)))
            case Paragraph(spans) | Quote(spans):
                parts.append(Text(tidy(plain(spans))))
            case Items():
                parts.append(Text(tidy(" ".join(_item_lines(block)))))
            case Code(lines):
                parts.append(Text(tidy(" ".join(lines))))
            case Table():
                parts += [Text(tidy(block.caption))] if block.caption else []
                parts.append(tidy_grid((*block.head, *block.body)))
    return Structure(tuple(parts), tuple(tidy(note.text) for note in notes_of(document)))


def tidy_grid(rows: Iterable[Row]) -> Grid:
    """Return a table whose cells are as they are compared."""
    return Grid(tuple(tuple(Cell(tidy(cell.text), cell.colspan, cell.rowspan) for cell in row) for row in rows))


def _item_lines(block: Items) -> list[str]:
    lines = []
    for number, item in enumerate(block.items, 1):
        lines.append((f"{number}. " if block.ordered else "") + plain(item.spans))
        lines += _item_lines(item.children) if item.children else []
    return lines


def _words(part: Part) -> str:
    if isinstance(part, Grid):
        return " ".join(cell.text for row in part.rows for cell in row if cell.text)
    return part.text
