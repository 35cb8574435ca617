"""The collections: what is in each, by which model it is searched, and how large it is."""

import streamlit as st

from khub.components.catalog.access import caller
from khub.components.catalog.document_page import Wanted
from khub.components.errors import KhubError
from khub.components.home import hub_home
from khub.components.text.file_size import file_size
from khub.dashboard.language import t
from khub.dashboard.parts.file_facts import day, language_name
from khub.dashboard.parts.table import Badge, Cell, Column, Link, Row, show_table
from khub.dashboard.plain_text import plain
from khub.server.reads.hub_reads import catalog_of_hub, collections, reader
from khub.server.reads.stored_bytes import index_bytes, stored_bytes


def show_collections() -> None:
    """Show a row for each collection, and the size of the hub to who may see all of it."""
    columns = [
        Column(t("Collection", "文档集"), kind="main"),
        Column(t("Documents", "文档"), kind="number"),
        Column(t("Passages", "段落"), kind="number", width=640),
        Column(t("Pages", "页"), kind="number", width=640),
        Column(t("Indexes", "索引大小"), kind="number", width=960),
        Column(t("Model and store", "模型与存储"), width=960),
        Column(t("Changed", "更新于"), width=640),
    ]
    names = collections().names()
    if names:
        show_table(t("Collections", "文档集"), columns, [_row(name) for name in names], "collections")
    for name in names:
        _show_state(name)
    if caller().sees_all:
        _show_sizes()


def _row(name: str) -> Row:
    about = reader().overview(name)
    unread = reader().page(Wanted(name), None, 0)[0] - about["documents"]  # Documents lists them, too
    languages = ", ".join(map(language_name, about["languages"]))
    damaged = catalog_of_hub().index_states.state(name).damaged
    badges = [Badge(t("damaged", "已损坏"), "bad")] if damaged else []
    cells = [
        Cell(name, f"{languages} · {', '.join(about['doc_types'])}", Link("documents", {"collection": name}), badges),
        Cell(f"{about['documents']:,}", t(f"and {unread:,} not read", f"另有 {unread:,} 份未读取") if unread else ""),
        Cell(f"{about['chunks']:,}"),
        Cell(f"{about['pages']:,}"),
        Cell(_index_size(name) if caller().sees_all else ""),
        _model(name),
        Cell(day(about["changed_at"])),
    ]
    return Row(name, cells)


def _index_size(name: str) -> str:
    try:
        return file_size(index_bytes(name))
    except KhubError:  # a binding that may not be loaded: the doctor says what is wrong with it
        return "?"


def _model(name: str) -> Cell:
    binding = catalog_of_hub().collections.binding(name)
    if not binding:
        return Cell(small=t("Nothing was ever indexed in it.", "尚未建立索引。"))
    identity = binding["embedder"]["identity"]
    model = str(identity.get("model") or binding["embedder"]["component"]["type"].rpartition(".")[2])
    store = str(binding["store"]["init_parameters"]["store"]["type"]).rpartition(".")[2]
    return Cell(f"{model} · {store}", str(binding["embedder"]["fingerprint"])[:16])


def _show_state(name: str) -> None:
    """Say at once what the catalog knows of damage; the rest is the doctor's."""
    state = catalog_of_hub().index_states.state(name)
    if not state.damaged:
        return
    legs = {"dense": t("index of vectors", "向量索引"), "sparse": t("index of words", "关键词索引")}
    damaged = t(", ", "、").join(legs.get(leg, leg) for leg in state.damaged)
    text = t(
        f"Damaged in {plain(name)}: {damaged}. The rest answers questions. See Health, or: khub doctor --repair",
        f"{plain(name)} 已损坏：{damaged}。提问仍由其余索引回答。请见“健康检查”，或运行：khub doctor --repair",
    )
    st.error(text)


def _show_sizes() -> None:
    names = {
        "catalog": t("Catalog: texts and vectors", "目录库：文本与向量"),
        "vectors": t("Index of vectors", "向量索引"),
        "keywords": t("Keyword index", "关键词索引"),
        "originals": t("Copies of files", "文件副本"),
        "images": t("Pictures", "图片"),
        "caches": t("Caches", "缓存"),
        "traces": t("Traces", "记录"),
        "logs": t("Logs", "日志"),
        "other": t("Jobs, uploads, downloads", "任务、上传与下载"),
    }
    with st.expander(t("Room on the disk", "磁盘占用"), on_change="rerun", key="room") as room:
        if room.open:
            sizes = stored_bytes(hub_home())
            rows = [*sizes.values(), sum(sizes.values())]
            what = [*(names[name] for name in sizes), t("All", "合计")]
            st.dataframe(
                {t("What", "项目"): what, t("Size", "大小"): [file_size(size) for size in rows]},
                hide_index=True,
                alt=t("Room on the disk by part", "各部分的磁盘占用"),
            )
            st.caption(plain(str(hub_home())))
