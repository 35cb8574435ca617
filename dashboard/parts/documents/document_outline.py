"""The outline of a document, with a link to the text of each section."""

import streamlit as st

from khub.components.catalog.document_row import DocumentRow
from khub.dashboard.language import caption, t
from khub.dashboard.parts.counted import counted
from khub.dashboard.parts.link import link_to
from khub.dashboard.parts.paged_table import shown_part
from khub.dashboard.plain_text import plain
from khub.server.reads.hub_reads import reader
from khub.server.reads.outline import ANY_DEPTH, STEP, outline
from khub.server.reads.outline_section import OutlineSection

SECTIONS = 100
INDENT_PX = 18


def show_outline(row: DocumentRow) -> None:
    """Show the sections in the order of the text.

    :param row: of the document, from the catalog.
    """
    sections = outline(reader().sections(row["doc_id"]), ANY_DEPTH)
    if not sections:
        caption("It has no headings.", "该文档没有标题结构。")
    for section in shown_part(sections, SECTIONS, "outline part"):
        address = {"doc": row["doc_id"], "view": "text", "section": section["path"]}
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            if section["level"] > 1:
                st.space(INDENT_PX * (section["level"] - 1))
            link_to("documents", plain(section["path"].split(STEP)[-1]), **address)
            st.caption(plain(_size(section)))


def _size(section: OutlineSection) -> str:
    passages = t(counted(section["chunks"], "passage", "passages"), f"{section['chunks']:,} 个段落")
    if not section["pages"]:
        return passages
    first, last = section["pages"]
    where = f"{first}" if first == last else f"{first}–{last}"
    return f"{passages} · " + t(f"page {where}", f"第 {where} 页")
