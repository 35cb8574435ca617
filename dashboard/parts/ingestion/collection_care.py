"""A collection: to be indexed anew, and to be deleted."""

import streamlit as st

from khub.components.errors import CollectionError
from khub.dashboard.changes import noted
from khub.dashboard.language import caption, info, t
from khub.dashboard.parts.choice import choose
from khub.dashboard.parts.ingestion.ingest_target import ingest_graphs
from khub.dashboard.parts.ingestion.open_job import begin_jobs
from khub.dashboard.parts.link import link_to
from khub.dashboard.plain_text import plain
from khub.dashboard.visitor import may_write
from khub.server.jobs.deletions import delete_opened_collection
from khub.server.jobs.service_jobs import ask_for_reindex
from khub.server.library.ingest_request import known_ingest_graph
from khub.server.reads.hub_reads import collections

DONE = "said of collections"


def show_collections() -> None:
    """Show the collections that there are for the visitor, one at a time."""
    if said := st.session_state.pop(DONE, None):
        st.success(said)
    names = collections().names()
    if not names:
        info("There are no collections yet.", "还没有文档集。")
        return
    name = choose("collection", t("Collection", "文档集"), names, names[0], str)
    link_to("documents", t("Its documents, those that failed too", "其中的文档（含失败的）"), collection=name)
    if may_write():
        _show_reindex(name)
        _show_delete(name)


def _show_reindex(name: str) -> None:
    st.header(t("Index anew", "重建索引"), anchor=False)
    caption(
        "Embeds the stored text again; no file is read. Until that is done the old indexes answer.",
        "用已存储的文本重新计算向量，不再读取文件；完成前仍由旧索引提供检索。",
    )
    plain_one = t("ingest, without stages that enrich", "ingest（不含增强步骤）")
    graph = st.selectbox(
        t("Graph", "流程图"), ["", *ingest_graphs()], format_func=lambda one: one or plain_one, key="graph of reindex"
    )
    if st.button(t("Index anew", "重建索引"), key="reindex"):
        by = known_ingest_graph(graph).name if graph else None
        begin_jobs(f"/collections/{name}/reindex", lambda: [ask_for_reindex(name, by)])


def _show_delete(name: str) -> None:
    st.header(t("Delete the collection", "删除文档集"), anchor=False)
    caption(
        "Documents, indexes and the files that were sent to it go. Files of your folders stay.",
        "将删除其中的文档、索引和上传的文件；您文件夹中的文件不受影响。",
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
