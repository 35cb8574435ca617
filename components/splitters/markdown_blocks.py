"""Markdown text as a sequence of blocks with exact offsets."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_HEADING = re.compile(r" {0,3}(#{1,6})(?:[ \t]++(.*+))?+$")
_CLOSING_HASHES = re.compile(r"(?:^|[ \t])#+$")
_UNDERLINE = re.compile(r" {0,3}(?:={2,}|-{3,})$")
_FENCE = re.compile(r" {0,3}(`{3,}(?=[^`]*$)|~{3,})")
_TABLE_RULE = re.compile(r" {0,3}\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?$")
_NOT_A_TITLE = re.compile(r"[ \t]*(?:[-*+>|]|[0-9]+[.)])[ \t]|    ")
_FRONT_MATTER = re.compile(
    r"---[ \t]*+\r?\n[A-Za-z_][\w-]*+:[^\n]*+\n"
    r"(?:(?!---[ \t]*+(?:\r?\n|$))(?=[^\S\n]*+\S)[^\n]*+\n)*+---[ \t]*+(?:\r?\n|$)"
)
_MARKUP = re.compile(r"\*\*|__|`|\[(?=[^\[\]]*+\]\()|\]\((?:(?!\]\()[^)])*+\)")

MAX_HEADING_LENGTH = 200
"""In characters; what converters mark as a heading beyond that is running text."""


@dataclass(frozen=True, slots=True)
class Block:
    """One block: `text[start:end]`, whole lines.

    :param kind: running text (paragraphs, lists, quotes), a heading, a pipe table or a fenced code block.
    :param start: offset of the first character.
    :param end: offset after the last one, its line break included.
    :param level: of a heading, 1 to 6; else 0.
    :param title: of a heading, without its marks; else "".
    """

    kind: Literal["text", "heading", "table", "code"]
    start: int
    end: int
    level: int = 0
    title: str = ""


def parse_blocks(text: str) -> list[Block]:
    """Read Markdown into blocks, in one pass over its lines.

    Headings are ATX and setext (one line underlined) ones outside fenced code and YAML front matter, by CommonMark
    0.31; tables are those of GitHub Flavored Markdown (a line with pipes over a rule of dashes).

    :param text: the document.
    :returns: the blocks in order; what lies between them is blank lines only.
    """
    return list(_BlockReader(text).read())


class _BlockReader:
    def __init__(self, text: str) -> None:
        self._text = text
        self._spans = [match.span() for match in _LINE.finditer(text)]
        self._at = 0

    def read(self) -> Iterator[Block]:
        if matter := _FRONT_MATTER.match(self._text):
            while self._at < len(self._spans) and self._spans[self._at][0] < matter.end():
                self._at += 1
            yield Block("text", 0, matter.end())
        while self._at < len(self._spans):
            line = self._line(self._at)
            if not line.strip():
                self._at += 1
            elif block := self._heading(line) or self._code(line) or self._table(line):
                yield block
            else:
                yield self._paragraph()

    def _line(self, index: int) -> str:
        if index >= len(self._spans):
            return ""
        start, end = self._spans[index]
        return self._text[start:end].rstrip()

    def _take(
        self, kind: Literal["text", "heading", "table", "code"], lines: int, level: int = 0, title: str = ""
    ) -> Block:
        start = self._spans[self._at][0]
        self._at = min(self._at + lines, len(self._spans))
        return Block(kind, start, self._spans[self._at - 1][1], level, title)

    def _heading(self, line: str) -> Block | None:
        if len(line) > MAX_HEADING_LENGTH:
            return None
        if match := _HEADING.match(line):
            return self._take("heading", 1, len(match[1]), _plain(_CLOSING_HASHES.sub("", match[2] or "")))
        underline = self._line(self._at + 1)
        if "|" in line or _NOT_A_TITLE.match(line) or _UNDERLINE.match(line) or not _UNDERLINE.match(underline):
            return None
        return self._take("heading", 2, 1 if "=" in underline else 2, _plain(line))

    def _code(self, line: str) -> Block | None:
        opening = _FENCE.match(line)
        if not opening:
            return None
        closing = re.compile(rf" {{0,3}}{opening[1][0]}{{{len(opening[1])},}}$")
        last = self._at + 1
        while last < len(self._spans) and not closing.match(self._line(last)):
            last += 1
        return self._take("code", last - self._at + 1)

    def _table(self, line: str) -> Block | None:
        rule = self._line(self._at + 1)
        if "|" not in line or not ("|" in rule and _TABLE_RULE.match(rule)):
            return None
        last = self._at + 2
        while "|" in self._line(last):
            last += 1
        return self._take("table", last - self._at)

    def _paragraph(self) -> Block:
        last = self._at + 1
        while (line := self._line(last)) and not self._interrupts(line, last):
            last += 1
        return self._take("text", last - self._at)

    def _interrupts(self, line: str, index: int) -> bool:
        if _HEADING.match(line) or _FENCE.match(line):
            return True
        rule = self._line(index + 1) if "|" in line else ""
        return "|" in rule and bool(_TABLE_RULE.match(rule))


def _plain(title: str) -> str:
    return " ".join(_MARKUP.sub("", title).split())
