"""A document of known structure, before any program has laid it out."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Link:
    """Words with an address behind them.

    :param text: what is shown.
    :param url: where it leads.
    """

    text: str
    url: str


@dataclass(frozen=True)
class Strong:
    """Words in bold.

    :param text: what is shown.
    """

    text: str


@dataclass(frozen=True)
class Note:
    """The place of a footnote.

    :param number: its number, from 1 in the document.
    :param text: what stands at the foot.
    """

    number: int
    text: str


Span = str | Link | Strong | Note
Spans = tuple[Span, ...]


@dataclass(frozen=True)
class Heading:
    """A heading with the number that is printed before it.

    :param level: 1 (the document's title) to 4.
    :param text: as printed, its number included.
    """

    level: int
    text: str


@dataclass(frozen=True)
class Paragraph:
    """A paragraph.

    :param spans: its text in parts.
    """

    spans: Spans


@dataclass(frozen=True)
class Item:
    """An item of a list.

    :param spans: its text in parts.
    :param children: a list below it.
    """

    spans: Spans
    children: "Items | None" = None


@dataclass(frozen=True)
class Items:
    """A list.

    :param ordered: numbered from 1, not bulleted.
    :param items: one or more.
    """

    ordered: bool
    items: tuple[Item, ...]


@dataclass(frozen=True)
class Quote:
    """A block quote of one paragraph.

    :param spans: its text in parts.
    """

    spans: Spans


@dataclass(frozen=True)
class Code:
    """A block of code.

    :param lines: as they are printed.
    """

    lines: tuple[str, ...]


@dataclass(frozen=True)
class Cell:
    """A cell of a table.

    :param text: as printed, in one line.
    :param colspan: columns that it takes.
    :param rowspan: rows that it takes.
    """

    text: str
    colspan: int = 1
    rowspan: int = 1


Row = tuple[Cell, ...]


@dataclass(frozen=True)
class Table:
    """A table.

    :param caption: the line above it; empty for none.
    :param head: rows of the head, one or two.
    :param body: the other rows.
    :param numeric: column numbers (from 0) that are set flush right.
    :param ruling: lines that are drawn: `grid` all, `rows` between rows, `booktabs` three, `none`.
    """

    caption: str
    head: tuple[Row, ...]
    body: tuple[Row, ...]
    numeric: frozenset[int]
    ruling: str

    @property
    def ruled(self) -> bool:
        """Whether lines stand between all of its rows and columns."""
        return self.ruling == "grid"


Block = Heading | Paragraph | Items | Quote | Code | Table


@dataclass(frozen=True)
class Style:
    """How a document is printed.

    :param serif: serif type, not sans.
    :param size: of the text, in points.
    :param columns: 1 or 2.
    :param header: the running header; empty for none.
    :param footer: the running footer, with `{page}` for the number of the page; empty for none.
    :param justified: lines are of one length.
    :param indented: paragraphs begin with an indent, with no space between them.
    :param outline: the PDF has an outline where the program can write one.
    """

    serif: bool
    size: float
    columns: int
    header: str
    footer: str
    justified: bool
    indented: bool
    outline: bool


@dataclass(frozen=True)
class Document:
    """A document.

    :param name: without extension; unique.
    :param language: `en` or `zh`.
    :param style: how it is printed.
    :param blocks: in reading order.
    """

    name: str
    language: str
    style: Style
    blocks: tuple[Block, ...]


def plain(spans: Spans) -> str:
    """Return the text of spans as it reads, with a note's number and without soft hyphens."""
    parts = [span if isinstance(span, str) else _shown(span) for span in spans]
    return "".join(parts).replace("\u00ad", "")


def notes_of(document: Document) -> list[Note]:
    """Return the footnotes of a document in their order."""
    found: list[Note] = []
    for block in document.blocks:
        if isinstance(block, Paragraph | Quote):
            found += [span for span in block.spans if isinstance(span, Note)]
    return found


def _shown(span: Link | Strong | Note) -> str:
    return str(span.number) if isinstance(span, Note) else span.text
