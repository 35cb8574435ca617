"""Marks that begin the items of a list."""

import re

_BULLETS = "•◦▪▫●○■□◆◇‣⁃∙·–—*➢➤✓✔❖►▶\uf0b7\uf0a7\uf0d8\uf076\uf06c\uf0fc\uf0a8\uf02d\u2212-"
_BULLET = re.compile(rf"([{re.escape(_BULLETS)}])(?:\s+|(?=[^\W\d_]))")
_LOOSE_BULLET = re.compile(rf"[{re.escape(_BULLETS)}o]")
_NUMBER = re.compile(r"(\d{1,3}|[a-zA-Z]|[ivx]{1,5})([.)])\s+(?=\S)")
_BRACKETED = re.compile(
    r"[(（](\d{1,3}|[a-zA-Z]|[ivx]{1,5}|[一二三四五六七八九十]{1,3})[)）]\s*(?=\S)|[\u2460-\u2473]\s*(?=\S)"
)
_MARKER = re.compile(r"(\d{1,3}|[a-zA-Z]|[ivx]{1,5})[.)]|[(（](\d{1,3}|[a-z]|[ivx]{1,5})[)）]|[\u2460-\u2473]")


def is_marker(word: str) -> bool:
    """Whether a word by itself is the mark of a list item."""
    return _LOOSE_BULLET.fullmatch(word) is not None or _MARKER.fullmatch(word) is not None


def split_marker(text: str) -> tuple[str, str] | None:
    """Part a list item into its Markdown mark and the rest.

    :returns: ("-", rest) for a bullet, ("3.", rest) for a number; an item marked otherwise, like "(a)", keeps its mark
        in the rest and has the mark "". None for what is no list item.
    """
    bullet = _BULLET.match(text)
    if bullet:
        return "-", text[bullet.end() :]
    if text.startswith("o ") and len(text) > 2 and text[2].isupper():
        return "-", text[2:]
    number = _NUMBER.match(text)
    if number:
        mark = f"{number[1]}." if number[1].isdigit() else ""
        return mark, text[number.end() :] if mark else text
    if _BRACKETED.match(text):
        return "", text
    return None
