"""What a run asked language models, what they said, and what that took."""

from collections.abc import Mapping
from typing import Any

import streamlit as st

from khub.dashboard.language import t
from khub.dashboard.parts.html_table import show_table, small, strong, text
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
    head = (t("Stage", "阶段"), t("Time", "用时"), t("Tokens", "token 数"), t("Cost", "费用"))
    show_table(t("Calls of language models", "大模型调用"), head, [_row(call) for call in calls])
    if not any(call.prompt or call.answer for call in calls):
        st.info(
            t(
                "Prompts and replies are not kept. KHUB_TRACE=verbose keeps the first 4,000 characters of each.",
                "未保留提示和回复。设置 KHUB_TRACE=verbose 后会保留各自的前 4,000 个字符。",
            )
        )
    elif opened:
        for number, call in enumerate(calls, start=1):
            _show_texts(number, call)


def _row(call: ModelCall) -> tuple[str, ...]:
    cost = call.usage.get("cost")
    return (
        strong(call.stage) + small(call.model),
        text(t("{:,.0f} ms", "{:,.0f} 毫秒").format(call.ms)),
        text(_tokens(call.usage) or t("not told", "未知")),
        text(t("not told", "未知") if cost is None else f"{cost:.6g}"),
    )


def _tokens(usage: Mapping[str, Any]) -> str:
    """Return the tokens that the model's server has counted, under the names that it gives them."""
    counts = {n: v for n, v in usage.items() if isinstance(v, int) and n.endswith("tokens")}
    return " · ".join(f"{t(*COUNTED[name]) if name in COUNTED else name} {count:,}" for name, count in counts.items())


def _show_texts(number: int, call: ModelCall) -> None:
    with st.expander(t("Prompt and reply {}", "提示和回复 {}").format(number)):
        st.text(call.prompt or "")
        st.divider()
        st.text(call.answer or "")
