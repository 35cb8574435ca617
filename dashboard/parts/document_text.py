"""Text of documents on a page: it looks like text, loads nothing, and never speaks in the hub's name."""

import re

import streamlit as st

ACTIVE = re.compile(r"\\.|!(?=\[)|[$<]|\](?=:|\([^)]*\))", re.DOTALL)
"""What begins a picture, a formula (which prices are not), a tag, the target of a link; or stands behind a backslash of
the document's own, and so begins nothing. A link could lead anywhere: it is shown as it is written."""
DIRECTIVE = re.compile(r":(?=[\w+-]+(\[|/|:))")
"""`:red[…]`, `:smile:`, `:material/…:` (for which a font is fetched): no sign hides them but one behind the colon."""
ENDS = "。！？；，、：.!?;,:”’\"')）]】」』"


def escaped(markdown: str) -> str:
    """Return Markdown of a document with its tables, lists and headings, and without all that does something."""
    return DIRECTIVE.sub(":\u2060", ACTIVE.sub(_inactive, markdown))


def _inactive(found: re.Match[str]) -> str:
    sign = found[0]
    if sign.startswith("\\"):
        return sign
    return f"{sign}\\" if sign == "]" else f"\\{sign}"


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
