"""What people said of passages so far, and the way from there to a case of the golden set."""

import streamlit as st

from khub.dashboard.language import t
from khub.server.traces.feedback import feedback_given
from khub.server.traces.feedback_entry import FeedbackEntry
from khub.server.traces.index import find_trace

SHOWN = 50


def given_feedback() -> None:
    """List the questions of which passages were called right or wrong, the newest first."""
    said = feedback_given()
    by_trace: dict[str, list[FeedbackEntry]] = {}
    for entry in said:
        by_trace.setdefault(str(entry["trace_id"]), []).append(entry)
    if not by_trace:
        st.info(t("Nobody has said of a passage yet whether it was right.", "还没有人对段落作过评价。"))
        return
    pages = -(-len(by_trace) // SHOWN)
    page = st.pagination(pages, key="feedback-page") if pages > 1 else 1
    traces = list(by_trace)[(page - 1) * SHOWN : page * SHOWN]
    questions = _questions(traces)
    rows = [_row(by_trace[trace], questions.get(trace)) for trace in traces]
    chosen = st.dataframe(rows, hide_index=True, width="stretch", on_select="rerun", selection_mode="single-row")
    picked = chosen["selection"]["rows"]
    trace = traces[picked[0]] if picked and picked[0] < len(traces) else None
    if st.button(
        t("Make a case of the chosen question", "用选中的问题建评测题"),
        disabled=trace is None,
        help=t("Choose a row first.", "请先选中一行。"),
    ):
        st.query_params["trace"] = str(trace)
        st.rerun()


def _questions(traces: list[str]) -> dict[str, str]:
    found = {trace: find_trace(trace) for trace in traces}
    return {trace: str(record.get("query") or "") for trace, record in found.items() if record is not None}


def _row(entries: list[FeedbackEntry], question: str | None) -> dict[str, str | int]:
    latest = {entry["chunk_id"]: entry for entry in reversed(entries)}.values()
    gone = t("(its trace is not kept any more)", "（记录已不在）")
    return {
        t("question", "问题"): gone if question is None else question,
        t("right", "正确"): sum(bool(entry["right"]) for entry in latest),
        t("wrong", "错误"): sum(not entry["right"] for entry in latest),
        t("notes", "备注"): "; ".join(str(entry["note"]) for entry in latest if entry.get("note")),
        t("last", "最近"): str(entries[0].get("time", ""))[:19].replace("T", " "),
    }
