"""What people said of passages so far, and the way from there to a case of the golden set."""

from collections.abc import Sequence

from khub.dashboard.language import info, t
from khub.dashboard.parts.evaluation.evaluation_words import head_of
from khub.dashboard.parts.file_facts import day
from khub.dashboard.parts.paged_table import choose_page, page_of
from khub.dashboard.parts.table import Cell, Column, Link, Row, show_table
from khub.server.traces.feedback import feedback_given
from khub.server.traces.feedback_entry import FeedbackEntry
from khub.server.traces.index import find_trace

PAGES = "feedback-page"


def given_feedback() -> None:
    """List the questions of which passages were called right or wrong, the newest first."""
    said = feedback_given()
    by_trace: dict[str, list[FeedbackEntry]] = {}
    for entry in said:
        by_trace.setdefault(str(entry["trace_id"]), []).append(entry)
    if not by_trace:
        info("Nobody has said of a passage yet whether it was right.", "还没有人对段落作过评价。")
        return
    traces = page_of(list(by_trace), PAGES)
    questions = _questions(traces)
    columns = [
        Column(head_of("question"), kind="main"),
        Column(t("Right", "正确"), kind="number"),
        Column(t("Wrong", "错误"), kind="number"),
        Column(t("Notes", "备注"), kind="text", width=640),
        Column(t("Last", "最近"), width=640),
    ]
    rows = [Row(trace, _cells(by_trace[trace], trace, questions.get(trace))) for trace in traces]
    show_table(t("Feedback so far", "已有的评价"), columns, rows, "feedback")
    choose_page(len(by_trace), PAGES)


def _questions(traces: Sequence[str]) -> dict[str, str]:
    found = {trace: find_trace(trace) for trace in traces}
    return {trace: str(record.get("query") or "") for trace, record in found.items() if record is not None}


def _cells(entries: list[FeedbackEntry], trace: str, question: str | None) -> list[Cell]:
    latest = {entry["chunk_id"]: entry for entry in reversed(entries)}.values()
    link = Link("evaluation", {"view": "cases", "trace": trace})
    gone = t("(its trace is not kept any more)", "（记录已不在）")
    return [
        Cell(gone) if question is None else Cell(question, link=link),
        Cell(str(sum(bool(entry["right"]) for entry in latest))),
        Cell(str(sum(not entry["right"] for entry in latest))),
        Cell("; ".join(str(entry["note"]) for entry in latest if entry.get("note"))),
        Cell(day(entries[0].get("time"))),
    ]
