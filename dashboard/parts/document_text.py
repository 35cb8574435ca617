"""Text of documents on a page: it looks like text, loads nothing, and never speaks in the hub's name."""

import re

import streamlit as st

IMAGE = re.compile(r"!(?=\[)")
SIGNS = re.compile(r"[$<]")
"""Streamlit sets formulas between dollars, which prices are not, and knows a few tags."""
DIRECTIVE = re.compile(r":(?=[\w+-]+(\[|/|:))")
"""`:red[…]`, `:smile:`, `:material/…:` (for which a font is fetched): no sign hides them but one behind the colon."""
ENDS = "。！？；，、：.!?;,:”’\"')）]】」』"
LINK = re.compile(r"\]\((?=[^)]*\))")
"""A link in a document could lead anywhere: it is shown as it is written."""


def escaped(markdown: str) -> str:
    """Return Markdown of a document with its tables, lists and headings, and without all that does something."""
    text = IMAGE.sub(r"\\!", markdown)
    text = SIGNS.sub(lambda sign: f"\\{sign[0]}", text)
    text = DIRECTIVE.sub(":\u2060", text)
    return LINK.sub(r"]\\(", text)


def show_document_text(markdown: str, evidence: str = "") -> None:
    """Show a passage.

    :param evidence: the sentence that carries the match, which is set in bold where it can be found.
    """
    shown = escaped(markdown)
    if evidence and "\n" not in evidence and "|" not in evidence:
        strong = escaped(evidence.strip().rstrip(ENDS))  # behind a mark a letter must not follow: no bold begins there
        shown = shown.replace(strong, f"**{strong}**", 1)
    st.markdown(_headings_lowered(shown))


def _headings_lowered(markdown: str) -> str:
    """Return Markdown whose headings stand below those of the page; they are no places to link to."""
    return re.sub(r"^#{1,6} +(.*)$", r"**\1**", markdown, flags=re.MULTILINE)
