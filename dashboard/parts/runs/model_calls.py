"""What a run asked language models, what they said, and what that took."""

from collections.abc import Mapping
from typing import Any

import streamlit as st

from khub.dashboard.language import info, t
from khub.dashboard.parts.table import Cell, Column, Row, show_table
from khub.server.traces.model_calls import ModelCall, model_calls

COUNTED = {"prompt_tokens": ("prompt", "提示"), "completion_tokens": ("reply", "回复"), "total_tokens": ("all", "合计")}
"""OpenAI's names, under which most servers count."""


def show_model_calls(record: Mapping[str, Any], opened: bool) -> None:
    """Show the calls of language models in a run; nothing where there were none.

    :param record: of the trace log.
    :param opened: whether all that it tells of is opened to the visitor.
    """
    calls = model_calls(record)
    if not calls:
        return
    st.header(t("Language models", "大模型调用"))
    columns = [
        Column(t("Stage", "阶段"), kind="main"),
        Column(t("ms", "毫秒"), kind="number"),
        Column(t("Tokens", "token 数"), kind="text"),
        Column(t("Cost", "费用"), kind="number"),
    ]
    rows = [Row(str(place), _cells(call)) for place, call in enumerate(calls)]
    show_table(t("Calls of language models", "大模型调用"), columns, rows, f"calls-{record.get('trace_id')}")
    if not any(call.prompt or call.answer for call in calls):
        info(
            "Prompts and replies are not kept. KHUB_TRACE=verbose keeps the first 4,000 characters of each.",
            "未保留提示和回复。设置 KHUB_TRACE=verbose 后会保留各自的前 4,000 个字符。",
        )
    elif opened:
        for number, call in enumerate(calls, start=1):
            _show_texts(number, call)


def _cells(call: ModelCall) -> list[Cell]:
    cost, not_told = call.usage.get("cost"), t("not told", "未知")
    return [
        Cell(call.stage, call.model),
        Cell(f"{call.ms:,.0f}"),
        Cell(_tokens(call.usage) or not_told),
        Cell(not_told if cost is None else f"{cost:.6g}"),
    ]


def _tokens(usage: Mapping[str, Any]) -> str:
    """Return the tokens that the model's server has counted, under the names that it gives them."""
    counts = {n: v for n, v in usage.items() if isinstance(v, int) and n.endswith("tokens")}
    return " · ".join(f"{t(*COUNTED[name]) if name in COUNTED else name} {count:,}" for name, count in counts.items())


def _show_texts(number: int, call: ModelCall) -> None:
    with st.expander(t("Prompt and reply {}", "提示和回复 {}").format(number)):
        st.text(call.prompt or "")
        st.divider()
        st.text(call.answer or "")
