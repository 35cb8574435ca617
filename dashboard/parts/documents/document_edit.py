"""Edit what is said of a document, or delete it: for who may write, and may read all of it."""

import streamlit as st

from khub.components.catalog.access import ACCESS_FIELD
from khub.components.catalog.document_row import DocumentRow
from khub.dashboard.changes import noted
from khub.dashboard.language import t, warning
from khub.dashboard.page import dialog
from khub.dashboard.parts.access_box import choose_levels
from khub.dashboard.parts.documents.document_change import changed_meta, choose_tags, may_change, texts
from khub.dashboard.parts.documents.document_deletion import confirm_deletion
from khub.dashboard.plain_text import plain
from khub.dashboard.visitor import may_write
from khub.server.library.edits import edit_document
from khub.server.reads.hub_reads import document_of, reader, title_of

LONGEST = 500
EDITED = "edited document"


def show_changes(row: DocumentRow) -> None:
    """Show the ways to edit and to delete a document, for who may.

    :param row: of the document, from the catalog.
    """
    if not may_write() or not reader().document_is_opened(row["doc_id"]):
        return
    edit = t("Edit", "编辑")
    if row["chunks"] and st.button(edit, icon=":material/edit:", key="edit"):
        dialog(edit, _edit)(row["doc_id"])
    if st.button(t("Delete", "删除"), icon=":material/delete:", key="delete"):
        dialog(t("Delete this document?", "删除此文档？"), confirm_deletion)([row["doc_id"]])


def show_edited() -> None:
    """Say what came of the last edit, once."""
    if said := st.session_state.pop(EDITED, None):
        st.success(said)


def _edit(doc_id: str) -> None:
    row = document_of(doc_id)
    tags, levels = texts(row["meta"].get("tags")), texts(row["meta"].get(ACCESS_FIELD))
    with st.form("edit form", border=False):
        title = st.text_input(t("Title", "标题"), title_of(row), max_chars=LONGEST)
        new_tags = choose_tags(t("Tags", "标签"), tags, tags, "tags")
        new_levels = choose_levels(levels)
        saved = st.form_submit_button(t("Save", "保存"))
    if saved:
        _save(doc_id, title.strip(), new_tags, new_levels if new_levels != levels else None)


def _save(doc_id: str, title: str, tags: list[str], levels: list[str] | None) -> None:
    """Save what is new, as the service does for a PATCH.

    :param levels: None where they stay.
    """
    row = may_change(doc_id)
    if not title:
        warning("A title cannot be empty.", "标题不能为空。")
        return
    meta = changed_meta(row, tags, levels)
    with st.spinner(t("Saving …", "保存中……")), noted("PATCH", f"/documents/{doc_id}"):
        done = edit_document(row, title if title != title_of(row) else None, meta)
    names = {"title": t("title", "标题"), "tags": t("tags", "标签"), ACCESS_FIELD: t("access levels", "访问级别")}
    changed = t(", ", "、").join(names.get(name, plain(name)) for name in done.changed)
    saved = t(f"Saved: {changed}.", f"已保存：{changed}。")
    st.session_state[EDITED] = saved if changed else t("Nothing new.", "无改动。")
    st.rerun()
