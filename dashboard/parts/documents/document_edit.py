"""Edit what is said of a document, or delete it: for who may write, and may read all of it."""

from typing import Any

import streamlit as st

from khub.components.catalog.access import ACCESS_FIELD, access_levels
from khub.components.catalog.document_row import DocumentRow
from khub.components.errors import KhubError
from khub.dashboard.changes import noted
from khub.dashboard.language import t
from khub.dashboard.page import dialog
from khub.dashboard.plain_text import plain
from khub.dashboard.visitor import may_write
from khub.server.jobs.deletions import delete_known_documents
from khub.server.library.edits import edit_document
from khub.server.reads.hub_reads import document_of, require_whole, title_of

LONGEST = 500
MOST_TAGS = 100
EDITED = "edited document"
OF_A_DOCUMENT = ("doc", "view", "page", "passage", "section")
"""Parameters of the address."""


def show_edit(row: DocumentRow) -> None:
    """Show the form.

    :param row: of the document, from the catalog.
    """
    if said := st.session_state.pop(EDITED, None):
        st.success(said)
    if not row["chunks"]:
        st.caption(t("Nothing of it was read: it can only be deleted.", "没有读出任何内容，只能删除。"))
    else:
        _show_form(row)
    st.subheader(t("Delete", "删除"), anchor=False)
    st.caption(
        t(
            "Text, vectors, pictures and the hub's copy of the file go; the file that it was made from stays.",
            "将删除文本、向量、图片以及知识库保存的副本；来源文件不受影响。",
        )
    )
    if st.button(t("Delete this document …", "删除此文档……"), key="delete"):
        dialog(t("Delete this document?", "删除此文档？"), _confirm)(row["doc_id"])


def _show_form(row: DocumentRow) -> None:
    tags = _texts(row["meta"].get("tags"))
    levels = _texts(row["meta"].get(ACCESS_FIELD))
    own = access_levels()
    with st.form("edit", border=False):
        title = st.text_input(t("Title", "标题"), title_of(row), max_chars=LONGEST)
        new_tags = st.multiselect(
            t("Tags", "标签"), tags, tags, accept_new_options=True, max_selections=MOST_TAGS, key="tags"
        )
        new_levels = st.multiselect(
            t("Access levels: one of them opens it", "访问级别（具备其一即可查看）"),
            list(dict.fromkeys([*levels, *map(str, own or ())])),
            levels,
            accept_new_options=own is None,
            key="levels",
            help=t("None: open to who has no levels set.", "留空：仅对未设级别限制的访问者开放。"),
        )
        saved = st.form_submit_button(t("Save", "保存"))
    if saved:
        _save(row["doc_id"], title.strip(), new_tags, new_levels if new_levels != levels else None)


def _save(doc_id: str, title: str, tags: list[str], levels: list[str] | None) -> None:
    """Save what is new, as the service does for a PATCH.

    :param levels: None where they stay.
    """
    row = _may_change(doc_id)
    if not title:
        st.warning(t("A title cannot be empty.", "标题不能为空。"))
        return
    meta: dict[str, Any] = {}
    if tags != _texts(row["meta"].get("tags")):
        meta["tags"] = tags or None
    if levels is not None:
        before = {str(level): level for level in _list(row["meta"].get(ACCESS_FIELD))}  # a level may be a number
        meta[ACCESS_FIELD] = [before.get(level, level) for level in levels] or None
    with st.spinner(t("Saving …", "保存中……")), noted("PATCH", f"/documents/{doc_id}"):
        done = edit_document(row, title if title != title_of(row) else None, meta)
    names = {"title": t("title", "标题"), "tags": t("tags", "标签"), ACCESS_FIELD: t("access levels", "访问级别")}
    changed = t(", ", "、").join(names.get(name, plain(name)) for name in done.changed)
    saved = t(f"Saved: {changed}.", f"已保存：{changed}。")
    st.session_state[EDITED] = saved if changed else t("Nothing new.", "无改动。")
    st.rerun()


def _confirm(doc_id: str) -> None:
    row = document_of(doc_id)
    st.text(title_of(row))
    st.caption(plain(row["source"]))
    if not st.button(t("Delete it", "确认删除"), key="delete it"):
        return
    row = _may_change(doc_id)
    with st.spinner(t("Deleting …", "删除中……")), noted("DELETE", f"/documents/{doc_id}"):
        delete_known_documents([doc_id])
    for parameter in OF_A_DOCUMENT:
        st.query_params.pop(parameter, None)
    st.query_params["collection"] = row["collection"]
    st.rerun()


def _may_change(doc_id: str) -> DocumentRow:
    """Return a document that the visitor may change now.

    :raises KhubError: if it may not.
    """
    if not may_write():
        raise KhubError("you may only read", "ask for a token that may write", code="access_denied")
    row = document_of(doc_id)
    require_whole(doc_id)
    return row


def _texts(value: Any) -> list[str]:
    return [str(item) for item in _list(value)]


def _list(value: Any) -> list[Any]:
    """Return a list as it is; a single value is taken for a list of it."""
    if value in (None, ""):
        return []
    return value if isinstance(value, list) else [value]
