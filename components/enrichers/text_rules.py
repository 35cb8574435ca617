"""Rules that mend running text: garbled lines, page numbers, broken lines, runs of dots.

Each takes a Markdown text and returns edits. Code, tables, headings and front matter are never touched.
"""

import re
import unicodedata
from collections.abc import Iterator
from itertools import pairwise

from components.enrichers.edits import Edit, apply_edits
from components.splitters.markdown_blocks import parse_blocks

GARBLED_SHARE = 0.3
"""A line is garbled when this share of its characters, or more, stands for nothing."""
SHORT_LINE = 0.6
"""A line shorter than this share of its paragraph's longest one ends where its writer meant it to."""
MIN_BROKEN_LINE = 20
"""In columns, a Han character being two; shorter lines are addresses, verses or labels."""

_HAN = "\u3005\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_LINE = re.compile(r"[^\n]+")
_CID = re.compile(r"\(cid:\d+\)")
_FILLER = re.compile("(?:锟斤拷|锟斤|斤拷)+|烫{3,}|屯{3,}|\ufffd+")
_MOJIBAKE = re.compile(
    "[\u00c2\u00c3\u00e2][\u0080-\u00bf\u20ac\u2122\u0153\u0161\u017e\u2018-\u201e\u2020-\u2026\u02dc]"
)
_DOTS = re.compile(r"[ \t]*(?:(?:[.．·•]|…)[ \t]?){5,}[ \t]*|[ \t]*…{3,}[ \t]*")
_NUMBER = "[0-9一二三四五六七八九十百]+"
_PAGE_NUMBER = re.compile(
    rf"[ \t]*(?:第[ \t]*{_NUMBER}[ \t]*页(?:[ \t]*[,，/／|·]?[ \t]*共[ \t]*{_NUMBER}[ \t]*页)?"
    r"|(?i:page|p\.)[ \t]*\d+(?:[ \t]*(?:of|/)[ \t]*\d+)?"
    r"|[-–—~·][ \t]*\d{1,4}[ \t]*[-–—~·])[ \t]*"
)
_STRUCTURE = re.compile(
    r"[ \t]*(?:[-*+•>|#]|[0-9]{1,3}[.)、]|[（(]?[一二三四五六七八九十]+[)）、]|\[IMAGE:|!\[|\[\^)|[ ]{4}|\t"
)
_UNFINISHED = re.compile(rf"[{_HAN}，、（「『“]$|[A-Za-z0-9,;(\-\u2019']$")
_GOES_ON = re.compile(rf"[{_HAN}，、。；：！？）」』”]|[a-z(]")
_HYPHEN = re.compile(r"([A-Za-z]*[a-z])-\n[ \t]*([a-z]+)")


def mend(text: str) -> str:
    """Apply all rules, one after the other."""
    for rule in (mend_garbled, drop_page_numbers, join_broken_lines, shorten_dots):
        text = apply_edits(text, rule(text))
    return text


def mend_garbled(text: str) -> list[Edit]:
    """Mend UTF-8 that was read as Windows-1252; take out what stands for no character, and lines full of it."""
    edits = []
    for start, line in _lines(text):
        mended = _mended(line)
        marked = _CID.sub("\ufffd", mended)  # one character each
        rest = _FILLER.sub("", marked)
        lost = len(marked) - len(rest) + sum(unicodedata.category(letter) in {"Co", "Cn", "Cc"} for letter in rest)
        if lost >= GARBLED_SHARE * len(marked.strip()):
            edits.append(_without_line(text, start, start + len(line)))
        elif rest != line:
            edits.append(Edit(start, start + len(line), re.sub(r"(?<=\S)[ \t]{2,}", " ", rest)))
    return edits


def drop_page_numbers(text: str) -> list[Edit]:
    """Take out lines that only say which page it is."""
    return [
        _without_line(text, start, start + len(line)) for start, line in _lines(text) if _PAGE_NUMBER.fullmatch(line)
    ]


def join_broken_lines(text: str) -> list[Edit]:
    """Join lines that were broken within a sentence.

    Chinese is joined without a blank. A hyphen at the end of a line goes, unless the text has the word with it.
    """
    edits = []
    for start, end in _paragraphs(text):
        lines = [(found.start(), found[0]) for found in _LINE.finditer(text, start, end)]
        widest = max((_columns(line) for _, line in lines), default=0)
        for (at, line), (next_at, following) in pairwise(lines):
            if _is_broken(line, following, widest):
                edits.append(_joint(text, at + len(line), next_at, line, following))
    return edits


def shorten_dots(text: str) -> list[Edit]:
    """Put one ellipsis in the place of a run of dots (the leaders of a table of contents)."""
    return [
        Edit(start + found.start(), start + found.end(), " … ")
        for start, line in _lines(text)
        for found in _DOTS.finditer(line)
    ]


def _paragraphs(text: str) -> list[tuple[int, int]]:
    blocks = [block for block in parse_blocks(text) if block.kind == "text"]
    spans = [(b.start, b.start + len(text[b.start : b.end].rstrip())) for b in blocks]
    return [(start, end) for start, end in spans if not text.startswith("---\n", start)]


def _lines(text: str) -> Iterator[tuple[int, str]]:
    for start, end in _paragraphs(text):
        for found in _LINE.finditer(text, start, end):
            yield found.start(), found[0]


def _without_line(text: str, start: int, end: int) -> Edit:
    """Take a line out; one that is a paragraph goes with the blank line behind it."""
    alone = not start or text.endswith("\n\n", 0, start)
    end += text.startswith("\n", end)
    return Edit(start, end + (alone and text.startswith("\n", end)))


def _mended(line: str) -> str:
    if not _MOJIBAKE.search(line):
        return line
    try:
        return line.encode("cp1252").decode("utf-8")
    except UnicodeError:
        return line


def _columns(line: str) -> int:
    return len(line) + len(re.findall(f"[{_HAN}]", line))


def _is_broken(line: str, following: str, widest: int) -> bool:
    if _STRUCTURE.match(line) or _STRUCTURE.match(following) or line.endswith(("  ", "\\")):
        return False
    if _columns(line) < max(MIN_BROKEN_LINE, SHORT_LINE * widest) or not _UNFINISHED.search(line):
        return False
    return bool(_GOES_ON.match(following)) or following[0].isalnum()


def _joint(text: str, end: int, start: int, line: str, following: str) -> Edit:
    if found := _HYPHEN.match(f"{line.rsplit(' ', 1)[-1]}\n{following}"):
        return Edit(end, start) if f"{found[1]}-{found[2]}" in text else Edit(end - 1, start)
    tight = re.search(rf"[{_HAN}，、（「『“]$", line) and re.match(rf"[{_HAN}，、。；：！？）」』”]", following)
    return Edit(end, start, "" if tight else " ")
