"""Markdown as an engine writes it, read back into headings, tables and text."""

import re
from html import unescape

from khub.eval.lab.documents.model import Cell, Heading, Row
from khub.eval.lab.documents.read_html_table import read_html_table
from khub.eval.lab.documents.structure import Part, Structure, Text, tidy, tidy_grid

FENCE = re.compile(r"\s*(```+|~~~+)")
HEADING = re.compile(r" {0,3}(#{1,6})\s+(.*?)\s*#*\s*$")
RULE = re.compile(r"\s*\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?\s*$")
MARK = re.compile(r"^\s*(?:[-*+•◦▪‣●○■–]|\uf0b7)\s+")
QUOTE = re.compile(r"^\s*(?:>\s?)+")
NOTE = re.compile(r"^\s*\[\^([^\]]+)\]:\s*")
PICTURE = re.compile(r"!\[[^\]]*\]\([^)]*\)|\[IMAGE: [^\]]*\]")
COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
INLINE = (
    (re.compile(r"\[\^([^\]]+)\]"), r"\1"),
    (re.compile(r"(?<!\\)\[((?:[^\[\]\\]|\\.)*)\]\([^)\s]*\)"), r"\1"),
    (re.compile(r"<(https?://[^>\s]+)>"), r"\1"),
    (re.compile(r"</?(?:su[bp]|b|i|em|strong|u|br)\s*/?>"), ""),
    (re.compile(r"(?<!\\)\*\*(?=\S)(.+?)(?<=\S)\*\*"), r"\1"),
    (re.compile(r"(?<![\\*\w])\*(?=\S)([^*]+?)(?<=\S)\*(?!\w)"), r"\1"),
    (re.compile(r"(?<![\\_\w])_(?=\S)([^_]+?)(?<=\S)_(?!\w)"), r"\1"),
    (re.compile(r"(?<!\\)`([^`]+)`"), r"\1"),
    (re.compile(r"\\([\\`*_{}\[\]()#+\-.!|<>~$&])"), r"\1"),
)


def read_markdown(markdown: str) -> Structure:
    """Read Markdown: ATX headings, pipe tables with a delimiter row, HTML tables; everything else is text.

    Pictures are left out; signs of emphasis, links, lists and quotes are taken off.
    """
    lines = COMMENT.sub("", PICTURE.sub("", markdown)).replace("\f", "\n").splitlines()
    return Structure(tuple(_Reader(lines).parts()))


class _Reader:
    def __init__(self, lines: list[str]) -> None:
        self.lines = lines
        self.at = 0
        self.found: list[Part] = []
        self.open: list[str] = []

    def parts(self) -> list[Part]:
        while self.at < len(self.lines):
            line = self.lines[self.at]
            if fence := FENCE.match(line):
                self._code(fence[1])
            elif heading := HEADING.match(line):
                self._close()
                self.found.append(Heading(len(heading[1]), shown(heading[2])))
                self.at += 1
            elif line.lstrip().lower().startswith("<table"):
                self._html_table()
            elif self._begins_table():
                self._pipe_table()
            elif line.strip():
                self._line(line)
            else:
                self._close()
                self.at += 1
        self._close()
        return self.found

    def _close(self) -> None:
        if self.open and (text := tidy(" ".join(self.open))):
            self.found.append(Text(text))
        self.open = []

    def _line(self, line: str) -> None:
        if NOTE.match(line):
            self._close()
        self.open.append(shown(NOTE.sub("", MARK.sub("", QUOTE.sub("", line), count=1))))
        self.at += 1

    def _code(self, fence: str) -> None:
        self._close()
        self.at += 1
        while self.at < len(self.lines) and not self.lines[self.at].strip().startswith(fence):
            self.open.append(self.lines[self.at])
            self.at += 1
        self.at += 1
        self._close()

    def _begins_table(self) -> bool:
        after = self.lines[self.at + 1] if self.at + 1 < len(self.lines) else ""
        line = self.lines[self.at]
        return "|" in line and "|" in after and "-" in after and bool(RULE.match(after)) and not RULE.match(line)

    def _pipe_table(self) -> None:
        self._close()
        rows = [_cells(self.lines[self.at])]
        self.at += 2
        while self.at < len(self.lines) and self.lines[self.at].strip().startswith("|"):
            rows.append(_cells(self.lines[self.at]))
            self.at += 1
        width = len(rows[0])
        rows = [(*row[:width], *[Cell("")] * (width - len(row))) for row in rows]
        if not any(cell.text for cell in rows[0]):
            rows = rows[1:]  # a head that is empty stands for a table without one
        self.found.append(tidy_grid(rows))

    def _html_table(self) -> None:
        self._close()
        taken = []
        depth = 0
        while self.at < len(self.lines):
            line = self.lines[self.at]
            taken.append(line)
            self.at += 1
            depth += len(re.findall(r"<table\b", line, re.IGNORECASE)) - len(
                re.findall(r"</table>", line, re.IGNORECASE)
            )
            if depth <= 0:
                break
        self.found.append(tidy_grid(read_html_table("\n".join(taken))))


def _cells(line: str) -> Row:
    inner = line.strip().removeprefix("|")
    inner = inner[:-1] if inner.endswith("|") and not inner.endswith("\\|") else inner
    return tuple(Cell(shown(re.sub(r"<br\s*/?>", " ", cell))) for cell in re.split(r"(?<!\\)\|", inner))


def shown(text: str) -> str:
    """Return a line of Markdown as it is shown, in the form in which texts are compared."""
    for sign, replacement in INLINE:
        text = sign.sub(replacement, text)
    return tidy(unescape(text))
