"""Markdown of documents as HTML in which nothing is live: no link, picture, or tag of theirs."""

import re
from collections.abc import Sequence
from html import escape
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.token import Token

from khub.components.text.hidden_characters import for_terminal

PICTURE_MARK = re.compile(r"^\[IMAGE: [^\[\]\n]*+\]\n*+", re.MULTILINE)
"""A picture's id where it stands in the text: it says nothing to a person."""

CODE = re.compile(r"\b[A-Za-z0-9]++(?:-[A-Za-z0-9]++)++")
LONGEST_CODE = 20

_MARKS = re.compile(r"\[IMAGE:[^\[\]]*(?:\]|$)|\|(?: *:?-{3,}:? *\|)+|(?<!\S)(?:#{1,6}|[|*])(?!\S)|\*\*")


def document_line(markdown: str) -> str:
    """Return the words of a passage, or of a piece of one, on one line: no marks of headings, lists, tables or bold."""
    return " ".join(_MARKS.sub("", markdown).split())


def document_html(markdown: str) -> str:
    """Return a passage's tables, lists, headings and words as HTML; of links the words, of pictures what they say."""
    return str(_renderer.render(for_terminal(PICTURE_MARK.sub("", markdown))))


def _nothing(*_: Any) -> str:
    return ""


def _heading(tokens: Sequence[Token], index: int, *_: Any) -> str:
    """Return a heading as words that stand out: it is none of the page's own."""
    return '<p class="heading">' if tokens[index].nesting > 0 else "</p>"


def _text(tokens: Sequence[Token], index: int, *_: Any) -> str:
    """Return words in which no code like E-4012 breaks at the end of a line."""
    return CODE.sub(_code, escape(tokens[index].content))


def _code(found: re.Match[str]) -> str:
    whole = found[0]
    is_code = len(whole) <= LONGEST_CODE and any(map(str.isdigit, whole))
    return f'<span class="code">{whole}</span>' if is_code else whole


def _picture(tokens: Sequence[Token], index: int, *_: Any) -> str:
    return f"<em>{escape(tokens[index].content)}</em>"


def _made() -> MarkdownIt:
    made = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
    rules: Any = made.renderer.rules  # type: ignore[attr-defined]
    rules |= {"link_open": _nothing, "link_close": _nothing, "image": _picture}
    rules |= {"text": _text, "heading_open": _heading, "heading_close": _heading}
    return made


_renderer = _made()
