"""The collections: what is in each, by which model it is searched, and how large it is."""

import streamlit as st

from khub.components.catalog.access import caller
from khub.components.errors import KhubError
from khub.components.home import hub_home
from khub.components.text.file_size import file_size
from khub.dashboard.language import t
from khub.dashboard.parts.file_facts import day, language_name
from khub.dashboard.parts.link import link_to
from khub.dashboard.plain_text import plain
from khub.server.reads.hub_reads import catalog_of_hub, collections, reader
from khub.server.reads.stored_bytes import index_bytes, stored_bytes


def show_collections() -> None:
    """Show a card for each collection, and the size of the hub to who may see all of it."""
    for name in collections().names():
        with st.container(border=True):
            _show_card(name)
    if caller().sees_all:
        _show_sizes()


def _show_card(name: str) -> None:
    about = reader().overview(name)
    st.header(plain(name), anchor=False)
    with st.container(horizontal=True):
        st.metric(t("Documents", "文档"), f"{about['documents']:,}", width="content")
        st.metric(t("Passages", "段落"), f"{about['chunks']:,}", width="content")
        st.metric(t("Pages", "页"), f"{about['pages']:,}", width="content")
        if caller().sees_all:
            st.metric(t("Indexes", "索引大小"), _index_size(name), width="content")
    facts = [
        ", ".join(language_name(code) for code in about["languages"]),
        ", ".join(about["doc_types"]),
        t(f"changed {day(about['changed_at'])}", f"更新于 {day(about['changed_at'])}"),
    ]
    st.caption(" · ".join(plain(fact) for fact in facts if fact))
    _show_model(name)
    _show_state(name)
    link_to("documents", t("Its documents", "查看文档"), collection=name)


def _index_size(name: str) -> str:
    try:
        return file_size(index_bytes(name))
    except KhubError:  # a binding that may not be loaded: the doctor says what is wrong with it
        return "?"


def _show_model(name: str) -> None:
    binding = catalog_of_hub().collections.binding(name)
    if not binding:
        st.caption(t("Nothing was ever indexed in it.", "尚未建立索引。"))
        return
    identity = binding["embedder"]["identity"]
    model = str(identity.get("model") or binding["embedder"]["component"]["type"].rpartition(".")[2])
    store = str(binding["store"]["init_parameters"]["store"]["type"]).rpartition(".")[2]
    fingerprint = str(binding["embedder"]["fingerprint"])
    st.markdown(
        t("Model ", "模型 ")
        + f"**{plain(model)}** · "
        + t("fingerprint ", "指纹 ")
        + f"`{fingerprint[:16]}` · "
        + t("store ", "存储 ")
        + plain(store)
    )


def _show_state(name: str) -> None:
    """Say at once what the catalog knows of damage; the rest is the doctor's."""
    state = catalog_of_hub().index_states.state(name)
    if not state.damaged:
        return
    legs = {"dense": t("index of vectors", "向量索引"), "sparse": t("index of words", "关键词索引")}
    damaged = t(", ", "、").join(legs.get(leg, leg) for leg in state.damaged)
    text = t(
        f"Damaged: {damaged}. Questions are answered from the rest. See Health, or: khub doctor --repair",
        f"已损坏：{damaged}。提问仍由其余索引回答。请见“健康检查”，或运行：khub doctor --repair",
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
