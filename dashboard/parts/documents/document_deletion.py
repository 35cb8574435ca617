"""Documents are deleted when somebody has agreed to it: one on its page, several in the list."""

from collections.abc import Sequence

import streamlit as st

from khub.dashboard.changes import noted
from khub.dashboard.language import caption, t
from khub.dashboard.parts.counted import counted
from khub.dashboard.parts.documents.document_change import MOST_NAMED, close, may_change
from khub.dashboard.plain_text import plain
from khub.server.jobs.deletions import delete_known_documents
from khub.server.reads.hub_reads import document_of, title_of

OF_A_DOCUMENT = ("doc", "view", "page", "passage", "section", "chunk", "trace")
"""Parameters of the address."""


def confirm_deletion(ids: Sequence[str]) -> None:
    """Show which documents go, and a button that deletes them and leads to the list."""
    for doc_id in ids[:MOST_NAMED]:
        st.text(title_of(document_of(doc_id)))
        st.caption(plain(document_of(doc_id)["source"]))
    if len(ids) > MOST_NAMED:
        caption(f"and {len(ids) - MOST_NAMED:,} more", f"另有 {len(ids) - MOST_NAMED:,} 份")
    caption(
        "Text, vectors, pictures and the hub's copies of the files go; files of your folders stay.",
        "将删除文本、向量、图片以及知识库保存的文件副本；您文件夹中的文件不受影响。",
    )
    label = t(f"Delete {counted(len(ids), 'document', 'documents')}", f"确认删除 {len(ids):,} 份文档")
    if not st.button(label, type="primary", key="delete them"):
        return
    rows = [may_change(doc_id) for doc_id in ids]
    with st.spinner(t("Deleting …", "删除中……")), noted("DELETE", *(f"/documents/{doc_id}" for doc_id in ids)):
        delete_known_documents(ids)
    if "doc" in st.query_params:
        st.query_params["collection"] = rows[0]["collection"]
    for parameter in OF_A_DOCUMENT:
        st.query_params.pop(parameter, None)
    close(len(ids), [])
