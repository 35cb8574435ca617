"""The passages of a document as they are searched, and as they were before a stage refined them."""

import difflib

import streamlit as st
from haystack import Document

from khub.components.catalog.document_row import DocumentRow
from khub.dashboard.language import caption, t
from khub.dashboard.parts.document_text import show_document_text
from khub.dashboard.parts.documents.passage_head import passage_head
from khub.dashboard.parts.paged_table import shown_part
from khub.dashboard.plain_text import plain
from khub.server.reads.hub_reads import reader

PASSAGES = 20


def show_passages(row: DocumentRow) -> None:
    """Show passages, twenty at a time.

    :param row: of the document, from the catalog.
    """
    chunks = reader().chunks_of_section(row["doc_id"], "")
    refined = [chunk for chunk in chunks if chunk.meta.get("refined")]
    if refined:
        label = t(f"Only the {len(refined):,} that were refined", f"只看已精炼的 {len(refined):,} 个段落")
        if st.toggle(label, key="only refined"):
            chunks = refined
    else:
        caption("No stage has changed their text: it is as it was read.", "没有处理阶段改动过文本，与读取时一致。")
    for chunk in shown_part(chunks, PASSAGES, "passages part"):
        with st.container(border=True):
            passage_head(chunk)
            _show_text(chunk)
            for entry in chunk.meta.get("degraded") or ():
                st.caption("⚠ " + plain(f"{entry['stage']}: {entry['reason']}"))


def _show_text(chunk: Document) -> None:
    before, after = chunk.meta.get("original"), chunk.content or ""
    if not chunk.meta.get("refined") or before is None:
        show_document_text(after)
        return
    left, right = st.columns(2)
    with left:
        caption("As it was read", "读取时")
        show_document_text(before)
    with right:
        caption("After refinement", "精炼后")
        show_document_text(after)
    with st.expander(t("Line by line", "逐行对比")):
        lines = difflib.unified_diff(before.splitlines(), after.splitlines(), lineterm="", n=1)
        st.code("\n".join(list(lines)[2:]), language="diff", wrap_lines=True)
