"""What there is to write about one subject in one language."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Columns:
    """What a table of some kind is made of.

    :param caption: the line above it.
    :param names: values of the first column, in their order.
    :param head: headings of all columns.
    :param kinds: for each column after the first: a kind of value (`count`, `money`, `percent`, `decimal`, `date`,
        `code`), or phrases to choose from.
    :param groups: headings over groups of columns, for a head of two rows; empty where that makes no sense.
    """

    caption: str
    names: tuple[str, ...]
    head: tuple[str, ...]
    kinds: tuple[str | tuple[str, ...], ...]
    groups: tuple[str, ...] = ()


@dataclass(frozen=True)
class Topic:
    """Material of one subject in one language; `{…}` in a sentence is filled in, `~` is a soft hyphen.

    :param name: of the subject.
    :param language: `en` or `zh`.
    :param titles: of documents.
    :param sections: headings of level 2.
    :param subsections: headings of levels 3 and 4.
    :param sentences: for paragraphs.
    :param items: for lists, with bullets.
    :param steps: for numbered lists.
    :param quotes: for block quotes.
    :param notes: for footnotes.
    :param links: words and addresses.
    :param codes: blocks of code.
    :param tables: kinds of tables.
    :param running: for the running header.
    """

    name: str
    language: str
    titles: tuple[str, ...]
    sections: tuple[str, ...]
    subsections: tuple[str, ...]
    sentences: tuple[str, ...]
    items: tuple[str, ...]
    steps: tuple[str, ...]
    quotes: tuple[str, ...]
    notes: tuple[str, ...]
    links: tuple[tuple[str, str], ...]
    codes: tuple[tuple[str, ...], ...]
    tables: tuple[Columns, ...]
    running: tuple[str, ...]
