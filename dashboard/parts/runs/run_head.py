"""What a run was asked and what it came to, in short."""

from collections.abc import Mapping
from typing import Any

import streamlit as st

from khub.dashboard.language import t
from khub.dashboard.parts.html_table import breakable, show_table, small, text
from khub.dashboard.plain_text import plain
from khub.server.commands.trace_list import local_time
from khub.server.traces.outcome import answer_of, legs_of, searched_as


def show_head(record: Mapping[str, Any], opened: bool) -> None:
    """Show the question or the files, the facts of the run, what was degraded, and the legs.

    :param record: of the trace log.
    :param opened: whether all that it tells of is opened to the visitor.
    """
    _show_subject(record)
    rows = [(name, value) for name, value in _facts(record) if value]
    show_table(
        t("About the run", "运行概况"),
        (t("Fact", "项目"), t("Value", "内容")),
        [(text(name), breakable(value)) for name, value in rows],
    )
    if record.get("error"):
        st.error(t("It failed: {}", "运行失败：{}").format(plain(str(record["error"]))))
    for entry in record.get("degraded") or []:
        reason = plain(str(entry.get("reason") or ""))
        st.warning(t("Degraded: {}: {}", "已降级：{}：{}").format(plain(str(entry.get("stage"))), reason))
    _show_legs(record)
    answer = (answer_of(record) or {}).get("answer")
    if isinstance(answer, str) and opened:
        with st.expander(t("Answer", "回答")):
            st.text(answer)


def _show_subject(record: Mapping[str, Any]) -> None:
    query = record.get("query")
    if isinstance(query, str):
        st.text(query)
        if searched := searched_as(record):
            st.write(t("It was searched as:", "实际检索的问题："))
            st.text(searched)
    elif isinstance(query, dict):
        count = query.get("chars", 0)
        st.info(
            t(
                f"The question ({count:,} characters) is not kept: KHUB_TRACE was minimal, or KHUB_TRACE_MASK set.",
                f"未保留问题原文（{count:,} 个字符）：当时 KHUB_TRACE 为 minimal，或设置了 KHUB_TRACE_MASK。",
            )
        )


def _facts(record: Mapping[str, Any]) -> list[tuple[str, str]]:
    totals, asked_with = record.get("totals") or {}, record.get("asked_with") or {}
    warm_up = totals.get("warm_up_ms")
    took = t("{:,.0f} ms", "{:,.0f} 毫秒").format(float(totals.get("ms") or 0))
    took += t(", of it {:,.0f} ms warm-up", "，其中预热 {:,.0f} 毫秒").format(warm_up) if warm_up else ""
    return [
        (t("Time", "时间"), local_time(str(record.get("time") or ""))),
        (t("Trace", "记录编号"), str(record.get("trace_id") or "")),
        (t("Graph", "流程图"), str(record.get("graph") or "")),
        (t("Collection", "文档集"), str(record.get("collection") or "")),
        (t("Took", "用时"), took),
        (t("Started by", "发起者"), str(record.get("caller") or "")),
        (t("Client's trace", "客户端记录"), str((record.get("parent") or {}).get("trace_id") or "")),
        (t("Answer", "回答"), _outcome(record)),
        (t("Questions before", "此前的问题"), _shown(asked_with.get("history"))),
        (t("Filter", "筛选条件"), _shown(asked_with.get("filters"))),
        (t("Legs asked for", "指定的检索方式"), _shown(asked_with.get("legs"))),
        (t("Passages asked for", "指定的段落数"), _shown(asked_with.get("top_k"))),
    ]


def _outcome(record: Mapping[str, Any]) -> str:
    answer = answer_of(record)
    if answer is None:
        return ""
    citations = answer["citations"]
    cited = citations["count"] if isinstance(citations, dict) else len(citations)
    said = [t("abstained", "拒答")] if answer.get("abstained") else [t(f"{cited} passages", f"{cited} 个段落")]
    if isinstance(answer.get("confidence"), int | float):
        said.append(t("confidence {:.2f}", "置信度 {:.2f}").format(answer["confidence"]))
    if answer.get("generated"):
        said.append(t("written by {}", "由 {} 生成").format(answer.get("model") or "?"))
    return " · ".join(said)


def _shown(value: Any) -> str:
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return " / ".join(value)
    return "" if value in (None, [], {}) else str(value)


def _show_legs(record: Mapping[str, Any]) -> None:
    if not (legs := legs_of(record)):
        return
    head = (t("Leg", "检索方式"), t("Used", "是否使用"), t("Hits", "命中"), t("Says", "说明"))
    show_table(t("Legs", "检索方式"), head, [_leg(leg) for leg in legs])


def _leg(leg: Mapping[str, Any]) -> tuple[str, ...]:
    used = t("yes", "是") if leg["used"] else t("no", "否")
    known = leg.get("coverage")
    coverage = t("knows {:.0%} of the terms", "认识 {:.0%} 的词项").format(known) if isinstance(known, float) else ""
    said = text(leg.get("reason") or "") + (small(coverage) if coverage else "")
    return text(leg.get("name")), text(used), text(leg.get("hits", "")), said
