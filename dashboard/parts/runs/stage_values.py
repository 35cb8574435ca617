"""What went into a stage of a run and what came out, as the trace keeps it."""

import json
from collections.abc import Mapping
from typing import Any

import streamlit as st

from khub.dashboard.language import info, t


def show_stage(record: Mapping[str, Any], opened: bool) -> None:
    """Let the visitor choose a stage and read its inputs, outputs and details.

    :param record: of the trace log.
    :param opened: whether all that it tells of is opened to the visitor.
    """
    stages = record.get("stages") or []
    if not stages:
        return
    if not opened:
        info(
            "What went through the stages is not shown: some of it is gone, or closed to you.",
            "不显示各阶段的输入输出：其中部分内容已不存在，或您无权查看。",
        )
        return
    chosen = st.selectbox(
        t("Look into a stage", "查看阶段详情"),
        range(len(stages)),
        index=None,
        format_func=lambda place: str(stages[place].get("name")),
        placeholder=t("Choose a stage", "选择一个阶段"),
        key=f"stage-{record.get('trace_id')}",
    )
    if chosen is not None:
        _show_values(stages[chosen])


def _show_values(stage: Mapping[str, Any]) -> None:
    st.text(str(stage.get("type") or ""))
    titles = {
        "senders": t("Fed by", "数据来自"),
        "input": t("Input", "输入"),
        "output": t("Output", "输出"),
        "details": t("Details", "详情"),
    }
    for name, title in titles.items():
        if stage.get(name):
            with st.expander(title, expanded=name == "output"):
                st.code(json.dumps(stage[name], ensure_ascii=False, indent=1), language=None, wrap_lines=True)
