"""Readings above characters."""

import re

_READING = ("\ufdd0", "\ufdd1")  # no characters: they stand in no text
_BRACKET = ("\ufdd2", "\ufdd3")
_MARKED = re.compile("\ufdd0([^\ufdd0-\ufdd3]*)\ufdd1")
_BRACKETS = re.compile("\ufdd2([^\ufdd0-\ufdd3]*)\ufdd3")
_LATIN = re.compile("[A-Za-z\u00c0-\u024f]")
_WORD = re.compile(r"\w")


def mark_reading(text: str) -> str:
    """Mark a reading (`rt`) within its `ruby`."""
    return text.join(_READING)


def mark_bracket(text: str) -> str:
    """Mark a bracket (`rp`) within its `ruby`."""
    return text.join(_BRACKET)


def ruby_markdown(text: str) -> str:
    """Write a word with its reading behind it: 漢字(かんじ), so that a word with a reading a character stays whole.

    :param text: what is in `ruby`, with the marks; a reading without letters only emphasizes.
    """
    brackets = [one.strip() for one in _BRACKETS.findall(text)]
    opened, closed = brackets[:2] if len(brackets) > 1 and all(brackets[:2]) else "()"
    word = _joined(_MARKED.sub("", _BRACKETS.sub("", text)).split())
    reading = _joined([one.strip() for one in _MARKED.findall(text) if _WORD.search(one)])
    return f"{word}{opened}{reading}{closed}" if word and reading else word or reading


def _joined(parts: list[str]) -> str:
    return (" " if any(_LATIN.search(part) for part in parts) else "").join(parts)
