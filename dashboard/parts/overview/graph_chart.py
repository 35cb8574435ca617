"""The graphs that answer and ingest, drawn; of one that is broken, what is wrong with it."""

import re

import streamlit as st

from khub.components.errors import KhubError
from khub.dashboard.language import info, t
from khub.dashboard.parts.choice import choose
from khub.dashboard.plain_text import plain
from khub.server.graphs.examination import examine_graph
from khub.server.graphs.load import GraphInfo, list_graphs, load_graph
from khub.server.graphs.mermaid import mermaid
from khub.server.graphs.view import view_graph

FIRST = "query"
BOLD = re.compile(r"</?b>")
"""Streamlit draws labels as they are written, but for their line breaks."""


def show_graphs() -> None:
    """Show the graph that is chosen."""
    graphs = {info.name: info for info in list_graphs()}
    if not graphs:
        info(
            "There are no graphs. Name their folder by KHUB_PIPELINES.", "没有流程图，请用 KHUB_PIPELINES 指定文件夹。"
        )
        return
    first = FIRST if FIRST in graphs else next(iter(graphs))
    label = t("Graph", "流程图")
    name = choose("graph", label, list(graphs), first, lambda name: f"{name} · {_kind(graphs[name].kind)}")
    _show_graph(graphs[name])


def _show_graph(info: GraphInfo) -> None:
    if info.description:
        st.caption(plain(info.description))
    try:
        with st.spinner(t("Loading …", "加载中……")):
            chart = BOLD.sub("", mermaid(view_graph(load_graph(info.name))))
    except KhubError as error:
        _show_problems(info, error)
        return
    st.mermaid_chart(chart, alt=t(f"Components of {info.name} and what flows", f"{info.name} 的组件与数据流"))


def _show_problems(info: GraphInfo, error: KhubError) -> None:
    st.error(t("This graph cannot be used. ", "该流程图无法使用。") + plain(str(error)))
    try:
        problems = examine_graph(info.path)
    except KhubError:  # it cannot be read: said above
        return
    for problem in problems:
        line = t(f"Line {problem.line}: ", f"第 {problem.line} 行：") if problem.line else ""
        st.markdown(f"- {line}{plain(problem.message)} → {plain(problem.remedy)}")


def _kind(kind: str) -> str:
    return {
        "query": t("answers questions", "问答"),
        "ingest": t("ingests", "导入"),
        "verify": t("verifies claims", "核实"),
        "evaluate": t("evaluates", "评测"),
    }.get(kind, kind or t("broken", "有误"))
