"""What can be done with the documents that are selected in the list, for who may write."""

from collections.abc import Callable, Sequence
from typing import Any

import streamlit as st

from khub.components.catalog.access import ACCESS_FIELD
from khub.components.catalog.document_row import DocumentRow
from khub.components.errors import KhubError
from khub.dashboard.changes import noted
from khub.dashboard.language import caption, t
from khub.dashboard.page import as_told, dialog
from khub.dashboard.parts.access_box import choose_levels
from khub.dashboard.parts.counted import counted
from khub.dashboard.parts.documents.document_change import changed_meta, choose_tags, close, may_change, texts
from khub.dashboard.parts.documents.document_deletion import confirm_deletion
from khub.dashboard.parts.ingestion.ingest_target import choose_collection, choose_graph
from khub.dashboard.parts.ingestion.open_job import begin_jobs
from khub.server.http.asked_ingests import ask_to_read_again
from khub.server.http.asked_moves import ask_to_move
from khub.server.library.edits import edit_document
from khub.server.reads.hub_reads import document_of


def show_selected(ids: list[str]) -> None:
    """Show what can be done with them.

    :param ids: of the documents.
    """
    ways: dict[str, tuple[str, Callable[[list[str]], None]]] = {
        "tags": (t("Tags", "标签"), _tags),
        "levels": (t("Access levels", "访问级别"), _levels),
        "again": (t("Read again", "重新读取"), _read_again),
        "move": (t("Move", "移动"), _move),
        "delete": (t("Delete", "删除"), confirm_deletion),
    }
    label = t(f"Change selected ({len(ids):,})", f"处理所选（{len(ids):,}）")
    names = {way: f"{ways[way][0]} …" for way in ways}
    way = st.menu_button(label, [*ways], format_func=names.__getitem__, disabled=not ids, key="change")
    if way and ids:
        title, show = ways[way]
        of = t(counted(len(ids), "document", "documents"), f"{len(ids):,} 份文档")
        dialog(f"{title} · {of}", show)(ids)


def _tags(ids: list[str]) -> None:
    held = sorted({tag for doc_id in ids for tag in texts(document_of(doc_id)["meta"].get("tags"))})
    more = choose_tags(t("Add", "添加"), held, [], "tags to add")
    fewer = choose_tags(t("Remove", "移除"), held, [], "tags to remove", new=False) if held else []

    def tagged(row: DocumentRow) -> dict[str, Any]:
        before = texts(row["meta"].get("tags"))
        return changed_meta(row, tags=[tag for tag in dict.fromkeys([*before, *more]) if tag not in fewer])

    if st.button(t("Save", "保存"), disabled=not (more or fewer), key="save tags"):
        _edit(ids, tagged)


def _levels(ids: list[str]) -> None:
    caption("They replace what each document has.", "将替换每份文档现有的级别。")
    held = {tuple(texts(document_of(doc_id)["meta"].get(ACCESS_FIELD))) for doc_id in ids}
    levels = choose_levels(list(held.pop()) if len(held) == 1 else [])
    if st.button(t("Save", "保存"), key="save levels"):
        _edit(ids, lambda row: changed_meta(row, levels=levels))


def _edit(ids: Sequence[str], meta: Callable[[DocumentRow], dict[str, Any]]) -> None:
    """Edit each of them; one that cannot be edited stops none of the others."""
    done, failed = 0, []
    bar = st.progress(0.0)
    for number, doc_id in enumerate(ids, 1):
        try:
            row = may_change(doc_id)
            with noted("PATCH", f"/documents/{doc_id}"):
                edit_document(row, None, meta(row))
            done += 1
        except KhubError as error:
            failed.append(f"{doc_id[:12]}: {as_told(error)}")
        bar.progress(number / len(ids))
    close(done, failed)


def _read_again(ids: list[str]) -> None:
    caption(
        "Their files go through the graph once more, as a job; what people said of them stays.",
        "将以任务形式用所选流程图重新处理这些文件；人工填写的信息会保留。",
    )
    graph = choose_graph()
    if st.button(t("Read again", "重新读取"), key="read again"):
        rows = [may_change(doc_id) for doc_id in ids]
        begin_jobs(f"/{graph}/run", lambda: ask_to_read_again(rows, graph))


def _move(ids: list[str]) -> None:
    caption(
        "Their files are read into the collection that you choose, as a job; titles, tags and levels come along. Each "
        "document leaves this collection once it is there. A folder that is synced into this one brings it again.",
        "将以任务形式把这些文件读入所选文档集，标题、标签和级别随之移动；每份文档读入成功后才从当前文档集移除。若当前文档集与文件夹同步，其文件会再次出现。",
    )
    here = {document_of(doc_id)["collection"] for doc_id in ids}
    target = choose_collection(here if len(here) == 1 else set())
    graph = choose_graph()
    if st.button(t("Move", "移动"), disabled=not target, key="move them"):
        rows = [may_change(doc_id) for doc_id in ids]
        begin_jobs(f"/{graph}/run", lambda: [ask_to_move(rows, target, graph)])
