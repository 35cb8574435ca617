"""Text of documents on a page: it looks like text, loads nothing, and never speaks in the hub's name."""

import re

import streamlit as st

from khub.components.text.inert_markdown import inert
from khub.dashboard.parts.document_html import PICTURE_MARK

FORMULA = re.compile(r"\\.|\$", re.DOTALL)
"""What begins a formula, which prices are not; or stands behind a backslash of its own, and so begins none."""
DIRECTIVE = re.compile(r":(?=[\w+-]+(\[|/|:))")
"""`:red[…]`, `:smile:`, `:material/…:` (for which a font is fetched): no sign hides them but one behind the colon."""


def escaped(markdown: str) -> str:
    """Return Markdown of a document with its tables, lists and headings, and without all that does something."""
    return DIRECTIVE.sub(":\u2060", FORMULA.sub(_no_formula, inert(markdown)))


def _no_formula(found: re.Match[str]) -> str:
    return "\\$" if found[0] == "$" else found[0]


def show_document_text(markdown: str) -> None:
    """Show a passage."""
    st.markdown(_headings_lowered(escaped(PICTURE_MARK.sub("", markdown))))


def _headings_lowered(markdown: str) -> str:
    """Return Markdown whose headings stand below those of the page; they are no places to link to."""
    return re.sub(r"^#{1,6} +(.*)$", r"**\1**", markdown, flags=re.MULTILINE)
