"""A collection: its documents, those that failed too; to be indexed anew, and to be deleted."""

import streamlit as st

from khub.components.catalog.document_page import Wanted
from khub.components.catalog.document_row import DocumentRow
from khub.components.errors import CollectionError
from khub.dashboard.changes import noted
from khub.dashboard.language import t
from khub.dashboard.parts.choice import choose
from khub.dashboard.parts.file_names import file_name
from khub.dashboard.parts.ingestion.ingest_target import ingest_graphs
from khub.dashboard.parts.ingestion.open_job import open_job
from khub.dashboard.parts.link import link_to
from khub.dashboard.parts.paged_table import ROWS, choose_page, offset_of
from khub.dashboard.plain_text import plain
from khub.dashboard.visitor import may_write
from khub.server.jobs.deletions import delete_known_documents, delete_opened_collection
from khub.server.jobs.service_jobs import ask_for_reindex
from khub.server.library.ingest_request import known_ingest_graph
from khub.server.reads.hub_reads import collections, reader, title_of

DONE = "said of collections"


def show_collections() -> None:
    """Show the collections that there are for the visitor, one at a time."""
    if said := st.session_state.pop(DONE, None):
        st.success(said)
    names = collections().names()
    if not names:
        st.info(t("There are no collections yet.", "还没有文档集。"))
        return
    name = choose("collection", t("Collection", "文档集"), names, names[0], str)
    link_to("documents", t("Read and search its documents", "阅读与检索其中的文档"), collection=name)
    _show_documents(name)
    if may_write():
        _show_reindex(name)
        _show_delete(name)


def _show_documents(name: str) -> None:
    st.header(t("Documents", "文档"), anchor=False)
    only_failed = st.toggle(t("Only files that failed", "仅显示失败的文件"), key="only failed")
    key = f"page of {name} {only_failed}"
    if only_failed:  # the first ones: who deletes them sees the next
        total, rows = reader().page(Wanted(name, status="failed"), None, ROWS)
    else:
        total = reader().count(name)
        rows = reader().documents(name, offset_of(total, key), ROWS)
    if not rows:
        st.caption(t("None failed.", "没有失败的文件。") if only_failed else t("It is empty.", "文档集为空。"))
        return
    shown = [_columns(row) for row in rows]
    label = t("Documents of the collection", "该文档集的文档")
    if may_write():
        picked = st.dataframe(
            shown,
            hide_index=True,
            width="stretch",
            alt=label,
            on_select="rerun",
            selection_mode="multi-row",
            key=f"documents of {key}",
        )
        _show_delete_documents(name, [rows[at] for at in picked["selection"]["rows"] if at < len(rows)])
    else:
        st.dataframe(shown, hide_index=True, width="stretch", alt=label)
    if not only_failed:
        choose_page(total, key)


def _columns(row: DocumentRow) -> dict[str, str]:
    why = f"{row['error']} → {row['remedy'] or ''}" if row["error"] else ""
    return {
        t("State", "状态"): t("failed", "失败") if row["status"] == "failed" else t("ready", "就绪"),
        t("Title", "标题"): file_name(title_of(row), row["collection"]),
        t("File", "文件"): file_name(row["source"], row["collection"]),
        t("Passages", "段落"): f"{row['chunks']:,}",
        t("What went wrong, and what to do", "问题与建议"): why,
    }


def _show_delete_documents(name: str, rows: list[DocumentRow]) -> None:
    if not rows:
        st.caption(t("Select documents to delete them.", "选中文档后可删除。"))
        return
    ids = [row["doc_id"] for row in rows]
    with st.container(border=True):
        for row in rows:
            st.text(file_name(row["source"], name))
        label = t(f"Yes, delete all of these ({len(ids):,})", f"确认删除以上文档 ({len(ids):,})")
        agreed = st.checkbox(label, key=f"agree to delete {ids}")  # what else is selected is agreed to anew
        if not st.button(t("Delete documents", "删除文档"), disabled=not agreed, key="delete documents"):
            return
    with st.spinner(t("Deleting …", "删除中……")), noted("DELETE", *(f"/documents/{doc_id}" for doc_id in ids)):
        delete_known_documents(ids)
    st.session_state[DONE] = t(f"Documents deleted: {len(ids):,}", f"已删除文档：{len(ids):,} 份")
    st.rerun()


def _show_reindex(name: str) -> None:
    st.header(t("Index anew", "重建索引"), anchor=False)
    st.caption(
        t(
            "Embeds the stored text again; no file is read. Until that is done the old indexes answer.",
            "用已存储的文本重新计算向量，不再读取文件；完成前仍由旧索引提供检索。",
        )
    )
    plain_one = t("ingest, without stages that enrich", "ingest（不含增强步骤）")
    graph = st.selectbox(
        t("Graph", "流程图"), ["", *ingest_graphs()], format_func=lambda one: one or plain_one, key="graph of reindex"
    )
    if st.button(t("Index anew", "重建索引"), key="reindex"):
        with noted("POST", f"/collections/{name}/reindex"):
            job = ask_for_reindex(name, known_ingest_graph(graph).name if graph else None)
        open_job(job["job_id"])


def _show_delete(name: str) -> None:
    st.header(t("Delete the collection", "删除文档集"), anchor=False)
    st.caption(
        t(
            "Documents, indexes and the files that were sent to it go. Files of your folders stay.",
            "将删除其中的文档、索引和上传的文件；您文件夹中的文件不受影响。",
        )
    )
    typed = st.text_input(
        t(f"Type its name and press Enter: {plain(name)}", f"输入名称并按回车：{plain(name)}"),
        key=f"delete {name}",
    )
    if not st.button(t("Delete collection", "删除文档集"), disabled=typed != name, key="delete collection"):
        return
    if typed != name:
        raise CollectionError(f"{typed!r} is not the name of the collection", "type it as it stands")
    with st.spinner(t("Deleting …", "删除中……")), noted("DELETE", f"/collections/{name}"):
        number = delete_opened_collection(name)
    said = plain(name)
    st.session_state[DONE] = t(f"{said} is deleted; documents: {number:,}", f"已删除 {said}，含文档 {number:,} 份")
    st.query_params.pop("collection", None)
    st.rerun()
