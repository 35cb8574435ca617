"""The questions that went worst, with what was found instead."""

import streamlit as st

from khub.dashboard.language import caption, t
from khub.dashboard.parts.document_html import document_line
from khub.dashboard.parts.evaluation.evaluation_words import word
from khub.dashboard.parts.evaluation.expected_answer import expected_answer, place_text
from khub.dashboard.parts.evaluation.trace_link import trace_link
from khub.eval.run.kept_runs import KeptRun
from khub.eval.run.metrics import written
from khub.eval.run.worst_question import WorstQuestion


def worst_cases(run: KeptRun, name: str) -> None:
    """Show the worst questions of a graph in a run, by what went wrong."""
    graph = run.report["graphs"][name]
    counts = graph["problems"]
    if not counts:
        st.success(t("Every question went as it should.", "所有题目都符合预期。"))
        return
    problem = st.segmented_control(
        t("What went wrong", "问题"),
        list(counts),
        default=next(iter(counts)),
        required=True,
        format_func=lambda one: f"{word(one)}: {counts[one]}",
    )
    rows = [row for row in graph["worst"] if row["problem"] == problem]
    if counts[problem] > len(rows):
        caption(f"The worst {len(rows)} of {counts[problem]}.", f"显示 {counts[problem]} 题中最差的 {len(rows)} 题。")
    for row in rows:
        _question(run, name, row)


def _question(run: KeptRun, graph: str, row: WorstQuestion) -> None:
    with st.container(border=True):
        score = [] if row["score"] is None else [f"nDCG@10 {written('', row['score'])}"]
        about = " · ".join([row["case_id"], word(row["language"]), word(row["kind"]), *score])
        st.text(f"{row['question']}\n{about}")
        expected_answer(row["answer"], row["relevant"])
        if row["error"]:
            st.text(row["error"])
        lines = (f"{place_text(one)}: {document_line(one['text'])}" for one in row["found"])
        found = [f"{number}. {line}" for number, line in enumerate(lines, start=1)]
        if found:
            st.text("\n".join([t("Found instead:", "实际找到："), *found]))
        trace_link(run, graph, row.get("trace_id"))
