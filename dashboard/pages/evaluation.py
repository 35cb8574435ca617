"""Evaluation."""

from collections.abc import Callable

import streamlit as st

from khub.components.catalog.access import caller
from khub.dashboard.language import t
from khub.dashboard.page import open_page
from khub.dashboard.parts.evaluation.evaluation_ablation import ablation
from khub.dashboard.parts.evaluation.evaluation_compare import compare_runs
from khub.dashboard.parts.evaluation.evaluation_gate import gate
from khub.dashboard.parts.evaluation.evaluation_runs import run_list
from khub.dashboard.parts.evaluation.evaluation_start import start_form
from khub.dashboard.parts.evaluation.evaluation_task import latest_task
from khub.dashboard.parts.evaluation.evaluation_worst import worst_cases
from khub.dashboard.parts.evaluation.given_feedback import given_feedback
from khub.dashboard.parts.evaluation.golden_case import golden_case_form
from khub.dashboard.parts.evaluation.own_cases import own_cases

RUNS, START, CASES = "runs", "start", "cases"
CHOSEN = "evaluation-view"
WRITTEN = "evaluation-address"
STARTED_FROM = {START: "run", "ablation": "ablate"}  # view -> command of `khub eval` that is started from there


def _show() -> None:
    if not caller().sees_all:
        st.info(t("Only who may see all documents can see evaluations.", "只有能查看全部文档的人可以查看评测。"))
        return
    views = _views()
    view = _chosen(list(views), {key: name for key, (name, _) in views.items()})
    title, show = views[view]
    latest_task(STARTED_FROM.get(view))
    st.header(title, anchor=False)
    show()


def _views() -> dict[str, tuple[str, Callable[[], None]]]:
    return {
        RUNS: (t("Results", "结果"), run_list),
        START: (t("Start", "开始评测"), start_form),
        "compare": (t("Compare", "对比"), compare_runs),
        "worst": (t("Worst questions", "最差题目"), worst_cases),
        CASES: (t("Golden set", "评测题"), _cases),
        "ablation": (t("Ablation", "消融实验"), ablation),
        "gate": (t("Gate", "质量门禁"), gate),
    }


def _chosen(views: list[str], names: dict[str, str]) -> str:
    """Return what is looked at: the address keeps it, and is heeded where it has changed since it was written."""
    trace, asked = st.query_params.get("trace"), st.query_params.get("view")
    if st.session_state.get(WRITTEN) != (asked, trace) or CHOSEN not in st.session_state:
        wanted = CASES if trace else asked
        st.session_state[CHOSEN] = wanted if wanted in views else RUNS
    label = t("View", "视图")
    picked = st.segmented_control(label, views, format_func=names.__getitem__, key=CHOSEN, label_visibility="collapsed")
    view = picked or RUNS
    st.query_params["view"] = view
    if trace and view != CASES:
        del st.query_params["trace"]
    st.session_state[WRITTEN] = (view, st.query_params.get("trace"))
    return view


def _cases() -> None:
    if trace := st.query_params.get("trace"):
        golden_case_form(trace)
    else:
        st.text(
            t(
                "Choose a question of the feedback below, or open a question's trace and take it from there.",
                "请在下面的评价中选择一个问题，或从提问记录中添加。",
            )
        )
    st.subheader(t("Feedback so far", "已有的评价"), anchor=False)
    given_feedback()
    st.subheader(t("Cases of this hub", "本知识库的评测题"), anchor=False)
    own_cases()


open_page(t("Evaluation", "评测"), _show)
