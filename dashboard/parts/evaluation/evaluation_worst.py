"""The questions that went worst, with what was found instead."""

import streamlit as st

from khub.dashboard.language import t
from khub.dashboard.parts.evaluation.evaluation_compare import expected_answer, place_text
from khub.dashboard.parts.evaluation.evaluation_runs import chosen_run, whole_runs
from khub.dashboard.parts.evaluation.evaluation_words import word
from khub.dashboard.parts.evaluation.trace_link import trace_link
from khub.eval.run.kept_runs import KeptRun
from khub.eval.run.metrics import written
from khub.eval.run.worst_question import WorstQuestion


def worst_cases() -> None:
    """Show the worst questions of a run, by what went wrong."""
    runs = whole_runs()
    if not runs:
        st.info(t("Nothing has been evaluated yet.", "还没有评测结果。"))
        return
    run = chosen_run(runs)
    graphs = run.report["graphs"]
    name = next(iter(graphs)) if len(graphs) == 1 else st.selectbox(word("graph"), list(graphs))
    counts = graphs[name]["problems"]
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
    rows = [row for row in graphs[name]["worst"] if row["problem"] == problem]
    if counts[problem] > len(rows):
        st.caption(
            t(f"The worst {len(rows)} of {counts[problem]}.", f"显示 {counts[problem]} 题中最差的 {len(rows)} 题。")
        )
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
        found = [f"{number}. {place_text(one)}: {one['text']}" for number, one in enumerate(row["found"], start=1)]
        if found:
            st.text("\n".join([t("Found instead:", "实际找到："), *found]))
        trace_link(run, graph, row.get("trace_id"))
