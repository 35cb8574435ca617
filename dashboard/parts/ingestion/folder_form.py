"""Files of the machine on which the hub is: ingested, or a collection kept like their folder."""

import os

import streamlit as st

from khub.components.catalog.access import access_levels, caller
from khub.dashboard.language import caption, info, t, warning
from khub.dashboard.parts.background import begin, ended
from khub.dashboard.parts.file_names import file_name
from khub.dashboard.parts.ingestion.ingest_preview import show_preview
from khub.dashboard.parts.ingestion.ingest_target import INGEST, as_text, choose_target
from khub.dashboard.parts.ingestion.open_job import begin_jobs
from khub.dashboard.plain_text import plain
from khub.server.http.asked_ingests import ask_for_paths, preview_paths
from khub.server.http.ingest_roots import ingest_roots, path_for_caller
from khub.server.jobs.service_jobs import ask_for_sync
from khub.server.library.ingest_preview import IngestPreview, preview_sync
from khub.server.library.ingest_request import IngestRequest
from khub.server.library.sync import SyncPlan, plan_sync

LOOK = "look at folder"
MOST_NAMED = 10
"""So many subfolders are named that would lose all their documents."""


def show_folder() -> None:
    """Show the form."""
    roots = ingest_roots() if caller().name else ()
    if caller().name and not roots:
        info(
            "This service may read no folder of its machine. Whoever starts it names some in KHUB_INGEST_ROOTS.",
            "此服务不能读取本机文件夹。启动服务时可通过 KHUB_INGEST_ROOTS 指定。",
        )
        return
    named = st.text_input(
        t("Folder or file of the hub's machine", "知识库所在机器上的文件夹或文件"),
        placeholder=t("its whole path, such as /home/me/documents", "完整路径，例如 /home/me/documents"),
        key="folder",
    ).strip()
    if roots:
        shown = ", ".join(map(str, roots))
        caption(f"It lies in: {plain(shown)}", f"须位于：{plain(shown)}")
    sync = access_levels() is None and st.toggle(
        t("Sync: also delete documents whose file is gone", "同步：同时删除文件已不存在的文档"), key="sync"
    )
    wanted = choose_target(with_metadata=not sync)
    with st.container(horizontal=True):
        go = not sync and st.button(t("Ingest", "导入"), type="primary", icon=INGEST, key="ingest folder")
        label = (
            t("See what would happen", "查看将发生什么") if sync else t("See first what would happen", "先看会发生什么")
        )
        look = st.button(label, key="look at folder now")
    if (go or look) and not named:
        warning("Name a folder or a file first.", "请先填写文件夹或文件的路径。")
        return
    if go:
        begin_jobs(f"/{wanted.graph}/run", lambda: [ask_for_paths(wanted, [path_for_caller(named)])])
    if sync:
        _show_sync(named, wanted, look)
    else:
        _show_ingest(named, wanted, look)


def _show_ingest(named: str, wanted: IngestRequest, look: bool) -> None:
    about = ("ingest", named, as_text(wanted))
    if look:
        path = path_for_caller(named)
        begin(LOOK, about, lambda: preview_paths(wanted, [path]))
    if (preview := ended(LOOK, about, _waiting())) is not None:
        show_preview(preview)


def _show_sync(named: str, wanted: IngestRequest, look: bool) -> None:
    about = ("sync", named, as_text(wanted))
    if look:
        path = path_for_caller(named)
        begin(LOOK, about, lambda: _planned(wanted, path))
    if (found := ended(LOOK, about, _waiting())) is None:
        return
    plan, preview = found
    show_preview(preview)
    if _confirmed(plan) and st.button(t("Sync now", "开始同步"), type="primary", key="sync now"):
        name, agreed = plan.collection, [row["doc_id"] for row in plan.removals]
        graph, path = plan.graph.name, f"/collections/{name}/sync"
        begin_jobs(path, lambda: [ask_for_sync(plan.folder, name, None, graph, agreed)])


def _planned(wanted: IngestRequest, path: str) -> tuple[SyncPlan, IngestPreview]:
    wanted.check()
    plan = plan_sync(path, wanted.collection, wanted.graph)
    return plan, preview_sync(plan)


def _confirmed(plan: SyncPlan) -> bool:
    """Ask before documents are deleted; return whether that is agreed, or none would be."""
    if not plan.removals:
        return True
    gone, of = len(plan.removals), plan.documents
    for one in plan.renamed:
        old, new = (plain(file_name(one[key], plan.collection)) for key in ("from", "to"))
        caption(f"{old} comes back as {new}", f"{old} 将以 {new} 重新导入")
    if plan.drastic:
        warning(
            "More than half of the documents of this folder would go. Is it the right folder, and is it mounted?",
            "该文件夹一半以上的文档将被删除。请确认文件夹正确且已挂载。",
        )
    if plan.emptied:
        named = ", ".join(plain(os.path.relpath(one, plan.folder)) for one in plan.emptied[:MOST_NAMED])
        warning(
            f"Subfolders that would lose all their documents: {named}. Are they mounted?",
            f"以下子文件夹的文档将全部删除：{named}。请确认它们已挂载。",
        )
    return st.checkbox(
        t(f"Delete {gone:,} of {of:,} documents of this folder", f"确认删除该文件夹 {of:,} 份文档中的 {gone:,} 份"),
        key=f"agree to lose {sorted(row['doc_id'] for row in plan.removals)}",
    )


def _waiting() -> str:
    return t("Looking at the files …", "正在查看文件……")
