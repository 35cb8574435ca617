"""What a run was asked and what it came to, in short."""

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from khub.dashboard.language import caption, info, t
from khub.dashboard.parts.counted import counted
from khub.dashboard.parts.document_text import show_document_text
from khub.dashboard.parts.link import link_to
from khub.dashboard.parts.table import Cell, Column, Row, show_table
from khub.dashboard.plain_text import plain
from khub.server.commands.trace_list import local_time
from khub.server.traces.index import RunFilter, find_runs
from khub.server.traces.outcome import answer_of, searched_as

MOST_OTHERS = 50


def show_head(record: Mapping[str, Any], opened: bool) -> None:
    """Show the question or the files, the facts of the run and what was degraded.

    :param record: of the trace log.
    :param opened: whether all that it tells of is opened to the visitor.
    """
    _show_subject(record)
    st.write(plain(" · ".join(filter(None, _facts(record)))))
    if record.get("error"):
        st.error(t("It failed: {}", "运行失败：{}").format(plain(str(record["error"]))))
    if record.get("together"):
        caption("One run of a question to all collections.", "向全部文档集提问时的一次运行。")
        link_to_others(record)
    show_degraded(record.get("degraded") or [])
    _show_answer(record, opened)
    with st.expander(t("About the run", "运行概况")):
        rows = [Row(name, [Cell(name), Cell(value)]) for name, value in _more_facts(record) if value]
        columns = [Column(t("Fact", "项目")), Column(t("Value", "内容"), kind="main")]
        show_table(t("About the run", "运行概况"), columns, rows, "facts")


def link_to_others(record: Mapping[str, Any], **address: str) -> None:
    """Show the ways to the runs that answered the same question together with this one, each in another collection.

    :param address: what else the page is to show, as it stands behind the `?`.
    """
    together = str(record.get("together") or "")
    for run in find_runs(RunFilter(words=together), 0, MOST_OTHERS).runs if together else ():
        if run.trace_id != record.get("trace_id"):
            label = t("The run in {}", "在 {} 中的运行").format(plain(run.collection or ""))
            link_to("query_runs", label, trace=run.trace_id, **address)


def show_degraded(entries: Sequence[Mapping[str, Any]]) -> None:
    """Show which stages were replaced by the next best thing, and why."""
    for entry in entries:
        stage, reason = plain(str(entry.get("stage"))), plain(str(entry.get("reason") or ""))
        st.warning(t("Degraded: {}: {}", "已降级：{}：{}").format(stage, reason))


def _show_answer(record: Mapping[str, Any], opened: bool) -> None:
    found, query = answer_of(record) or {}, record.get("query")
    if isinstance(found.get("answer"), str) and opened:
        with st.expander(t("Answer", "回答")):
            show_document_text(found["answer"])
    if found.get("citations") and record.get("kind") == "query" and isinstance(query, str):
        collection = {"collection": str(record["collection"])} if record.get("collection") else {}
        link_to("ask", t("Open the answer", "打开回答"), q=query, **collection)


def _show_subject(record: Mapping[str, Any]) -> None:
    query = record.get("query")
    if isinstance(query, str):
        st.text(query)
        if searched := searched_as(record):
            st.write(t("It was searched as:", "实际检索的问题："))
            st.text(searched)
    elif isinstance(query, dict):
        count = query.get("chars", 0)
        info(
            f"The question ({count:,} characters) is not kept: KHUB_TRACE was minimal, or KHUB_TRACE_MASK set.",
            f"未保留问题原文（{count:,} 个字符）：当时 KHUB_TRACE 为 minimal，或设置了 KHUB_TRACE_MASK。",
        )


def _facts(record: Mapping[str, Any]) -> list[str]:
    totals = record.get("totals") or {}
    return [
        local_time(str(record.get("time") or "")),
        str(record.get("collection") or ""),
        str(record.get("graph") or ""),
        t("{:,.0f} ms", "{:,.0f} 毫秒").format(float(totals.get("ms") or 0)),
        _outcome(record),
    ]


def _more_facts(record: Mapping[str, Any]) -> list[tuple[str, str]]:
    asked_with = record.get("asked_with") or {}
    warm_up = (record.get("totals") or {}).get("warm_up_ms")
    return [
        (t("Trace", "记录编号"), str(record.get("trace_id") or "")),
        (t("Started by", "发起者"), str(record.get("caller") or "")),
        (t("Client's trace", "客户端记录"), str((record.get("parent") or {}).get("trace_id") or "")),
        (t("Warm-up", "预热"), t("{:,.0f} ms", "{:,.0f} 毫秒").format(warm_up) if warm_up else ""),
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
    said = (
        [t("abstained", "拒答")]
        if answer.get("abstained")
        else [t(counted(cited, "passage", "passages"), f"{cited} 个段落")]
    )
    if isinstance(answer.get("confidence"), int | float):
        said.append(t("confidence {:.2f}", "置信度 {:.2f}").format(answer["confidence"]))
    if answer.get("generated"):
        said.append(t("written by {}", "由 {} 生成").format(answer.get("model") or "?"))
    return " · ".join(said)


def _shown(value: Any) -> str:
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return " / ".join(value)
    return "" if value in (None, [], {}) else str(value)
