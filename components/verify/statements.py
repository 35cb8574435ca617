"""The statements of a passage: its sentences, list items and table rows, each with what it stands under."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from haystack import Document

from khub.components.splitters.markdown_blocks import Block, parse_blocks
from khub.components.text.sentence_ends import split_sentences

_LIST_MARK = re.compile(r"^\s*(?:[-*+•]|\d{1,3}[.)、])\s+")
_QUOTE = re.compile(r"^[^\S\n]*>\s?", re.MULTILINE)
_MARKUP = re.compile(
    r"\[IMAGE:[^\]\n]{0,500}\]|!\[[^\]]{0,500}\]\([^)]{0,500}\)|\*\*|__|`|\[(?=[^\]]{0,500}\]\()|\]\([^)]{0,500}\)"
)
_CELLS = re.compile(r"(?<!\\)\|")
_RULE = re.compile(r"[\s:|-]+")
_UNIT_OF_COLUMN = re.compile(r"[(（]([^)）]{1,20})[)）]\s*$")
_NUMBER = re.compile(r"[\d.,]+")
LONGEST = 600


@dataclass(frozen=True)
class Statement:
    """One thing that a passage says.

    :param text: the sentence, or the row as `column: cell; column: cell`.
    :param words: what is compared: the sentence, or the row's cells alone.
    :param about: title, headings, columns: what it stands under.
    :param before: the sentence before, which may name what this one leaves unsaid.
    :param passage: the chunk that holds it.
    """

    text: str
    words: str
    about: str
    before: str
    passage: Document


def statements_of(passage: Document) -> list[Statement]:
    """Return the statements of a chunk, in their order.

    :param passage: a chunk with `title`, `section` and `table_header` in its metadata, where it has them.
    """
    content = passage.content or ""
    about = "\n".join(str(passage.meta[key]) for key in ("title", "section") if passage.meta.get(key))
    found: list[Statement] = []
    before = ""
    for block in parse_blocks(content):
        text = content[block.start : block.end]
        header = _table_header(block, text, str(passage.meta.get("table_header") or ""))
        if header is not None:
            found += _rows(f"{header}{text}", about, passage)
            before = ""
        elif block.kind in ("text", "code"):
            for sentence in _sentences(text) if block.kind == "text" else _lines(text):
                found.append(Statement(sentence, sentence, about, before, passage))
                before = sentence
    return found


def _table_header(block: Block, text: str, header: str) -> str | None:
    """Return what stands before the rows of a table: nothing if it has its own header; None if it is no table."""
    if block.kind == "table":
        return ""
    return f"{header.strip()}\n" if header and block.kind == "text" and text.lstrip().startswith("|") else None


def _lines(code: str) -> list[str]:
    return [line.strip() for line in code.splitlines() if line.strip() and not line.lstrip().startswith(("```", "~~~"))]


def _sentences(text: str) -> Iterator[str]:
    for item in _items(text):
        for sentence in split_sentences(item):
            yield from (sentence[at : at + LONGEST] for at in range(0, len(sentence), LONGEST))


def _items(text: str) -> list[str]:
    """Join wrapped lines, but for those that begin a list item."""
    items: list[str] = []
    for line in _QUOTE.sub("", text).splitlines():
        bare = _MARKUP.sub("", _LIST_MARK.sub("", line)).strip()
        if not items or _LIST_MARK.match(line) or not bare:
            items.append(bare)
        else:
            wide = bool(items[-1]) and items[-1][-1] > "\u2e80" and bare[0] > "\u2e80"
            items[-1] = f"{items[-1]}{'' if wide else ' '}{bare}".strip()
    return [item for item in items if item]


def _rows(table: str, about: str, passage: Document) -> Iterator[Statement]:
    lines = [line for line in table.splitlines() if line.strip() and not _RULE.fullmatch(line)]
    columns, *rows = [[_MARKUP.sub("", c).strip() for c in _CELLS.split(line.strip().strip("|"))] for line in lines]
    context = "\n".join(part for part in (about, " ".join(columns)) if part)
    for row in rows:
        cells = [(column, cell) for column, cell in zip(columns, row, strict=False) if cell]
        named = "; ".join(_cell(column, cell) for column, cell in cells)
        if cells:
            yield Statement(named, "; ".join(cell for _, cell in cells), context, "", passage)


def _cell(column: str, cell: str) -> str:
    """Name a cell by its column, whose unit goes to the number: `Warranty (months)`, `24` -> `Warranty: 24 months`."""
    unit = _UNIT_OF_COLUMN.search(column)
    if unit and _NUMBER.fullmatch(cell):
        return f"{column[: unit.start()].strip()}: {cell} {unit[1]}"
    return f"{column}: {cell}" if column else cell
