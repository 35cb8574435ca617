"""The doctor: whether the indexes say what the catalog says, and what to do where they do not."""

import streamlit as st

from khub.components.catalog.access import caller
from khub.dashboard.changes import noted
from khub.dashboard.language import caption, info, t
from khub.dashboard.parts.background import wait_for
from khub.dashboard.plain_text import plain
from khub.dashboard.visitor import may_write
from khub.server.library.collection_health import CollectionHealth
from khub.server.library.examination import Examination

KEPT = "examination"


def show_health() -> None:
    """Show a button, and what was found when the examination is over; it runs beside the page."""
    if not caller().sees_all:
        info("Only who may see the whole hub may examine it.", "只有可查看整个知识库的访问者才能执行检查。")
        return
    caption(
        "Compares both indexes of every collection with the catalog. While it looks at a collection, "
        "nothing is written into that.",
        "逐一核对每个文档集的两种索引与目录库；检查某个文档集时，该文档集暂停写入。",
    )
    running: Examination | None = st.session_state.get(KEPT)
    busy = running is not None and not running.is_over()
    if st.button(t("Examine", "开始检查"), disabled=busy):
        st.session_state[KEPT] = Examination()
        st.rerun()
    if running is not None and busy:
        wait_for(running.is_over, t("Repairing …", "修复中……") if running.repair else t("Examining …", "检查中……"))
    elif running is not None:
        _show_findings(running)


def _show_findings(over: Examination) -> None:
    found = over.findings()
    for one in found:
        _show_collection(one)
    if not found:
        caption("There is no collection to examine.", "没有可检查的文档集。")
    if all(one["healthy"] for one in found):
        return
    caption("Remedy: rebuild what is wrong from the catalog.", "处理办法：依据目录库重建有问题的部分。")
    if may_write() and st.button(t("Rebuild what is wrong", "重建有问题的部分")):
        with noted("POST", "/doctor/repair"):
            st.session_state[KEPT] = Examination(repair=True)
        st.rerun()
    st.code("khub doctor --repair", language="sh")


def _show_collection(one: CollectionHealth) -> None:
    counts = t(
        f"{one['documents']:,} documents, {one['chunks']:,} passages",
        f"{one['documents']:,} 份文档，{one['chunks']:,} 个段落",
    )
    name = plain(one["collection"])
    if one["healthy"]:
        st.success(f"{name} · {t('healthy', '健康')} · {counts}")
    else:
        st.error(f"{name} · {t('something is wrong', '有问题')} · {counts}")
    for line in [*one["repaired"], *one["problems"], *one["notes"]]:
        st.markdown(f"- {plain(line)}")
