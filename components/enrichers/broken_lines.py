"""Lines that were broken within a sentence, joined again; code, tables, headings and front matter stay as they are."""

import re
from itertools import pairwise

from khub.components.splitters.markdown_blocks import parse_blocks

SHORT_LINE = 0.6
"""A line shorter than this share of its paragraph's longest one ends where its writer meant it to."""
MIN_BROKEN_LINE = 20
"""In columns, a Han character being two; shorter lines are addresses, verses or labels."""

_HAN = "\u3005\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_LINE = re.compile(r"[^\n]+")
_STRUCTURE = re.compile(
    r"[ \t]*(?:[-*+•>|#]|[0-9]{1,3}[.)、]|[（(]?[一二三四五六七八九十]+[)）、]|\[IMAGE:|!\[|\[\^)|[ ]{4}|\t"
)
_UNFINISHED = re.compile(rf"[{_HAN}，、（「『“]$|[A-Za-z0-9,;(\-\u2019']$")
_GOES_ON = re.compile(rf"[{_HAN}，、。；：！？）」』”]|[a-z(]")
_HYPHEN = re.compile(r"([A-Za-z]*[a-z])-\n[ \t]*([a-z]+)")


def join_broken_lines(text: str) -> str:
    """Join lines that were broken within a sentence.

    Chinese is joined without a blank. A hyphen at the end of a line goes, unless the text has the word with it.

    :param text: Markdown.
    """
    parts, at = [], 0
    for block in parse_blocks(text):
        if block.kind != "text" or text.startswith("---\n", block.start):
            continue
        lines = [(found.start(), found[0]) for found in _LINE.finditer(text, block.start, block.end)]
        widest = max((_columns(line) for _, line in lines), default=0)
        for (start, line), (next_start, following) in pairwise(lines):
            if _is_broken(line, following, widest):
                joint, dropped = _joint(text, line, following)
                parts += [text[at : start + len(line) - dropped], joint]
                at = next_start
    return "".join([*parts, text[at:]])


def _columns(line: str) -> int:
    return len(line) + len(re.findall(f"[{_HAN}]", line))


def _is_broken(line: str, following: str, widest: int) -> bool:
    if _STRUCTURE.match(line) or _STRUCTURE.match(following) or line.endswith(("  ", "\\")):
        return False
    if _columns(line) < max(MIN_BROKEN_LINE, SHORT_LINE * widest) or not _UNFINISHED.search(line):
        return False
    return bool(_GOES_ON.match(following)) or following[0].isalnum()


def _joint(text: str, line: str, following: str) -> tuple[str, int]:
    """Return what stands between two joined lines, and how many characters the first loses."""
    if found := _HYPHEN.match(f"{line.rsplit(' ', 1)[-1]}\n{following}"):
        return "", 0 if f"{found[1]}-{found[2]}" in text else 1
    tight = re.search(rf"[{_HAN}，、（「『“]$", line) and re.match(rf"[{_HAN}，、。；：！？）」』”]", following)
    return "" if tight else " ", 0
