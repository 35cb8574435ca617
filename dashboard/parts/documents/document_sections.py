"""The text of a document, section by section."""

import streamlit as st

from khub.components.catalog.document_row import DocumentRow
from khub.dashboard.language import t
from khub.dashboard.parts.choice import choose
from khub.dashboard.parts.document_text import show_document_text
from khub.dashboard.parts.paged_table import shown_part
from khub.server.reads.hub_reads import reader
from khub.server.reads.joined_text import joined
from khub.server.reads.outline import ANY_DEPTH, STEP, outline

PASSAGES = 40
"""So many are put together at a time."""


def show_sections(row: DocumentRow) -> None:
    """Show the text of the section that is chosen; the whole document where it has no headings.

    :param row: of the document, from the catalog.
    """
    sections = [section["path"] for section in outline(reader().sections(row["doc_id"]), ANY_DEPTH)]
    path = _section(sections) if sections else ""
    chunks = reader().chunks_of_section(row["doc_id"], path)
    shown = shown_part(chunks, PASSAGES, f"part of {row['doc_id']} {path}")
    if row["doc_type"] == "code":
        st.code(joined(shown), language=None, wrap_lines=True)
    else:
        show_document_text(joined(shown))


def _section(sections: list[str]) -> str:
    options = ["", *sections]
    return choose("section", t("Section", "章节"), options, "", _named)


def _named(path: str) -> str:
    steps = path.split(STEP)
    return "\u2003" * (len(steps) - 1) + steps[-1] if path else t("the whole document", "全文")
