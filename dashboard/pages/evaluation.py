"""Evaluation."""

import streamlit as st

from khub.components.catalog.access import caller
from khub.dashboard.language import info, t
from khub.dashboard.page import open_page
from khub.dashboard.parts.evaluation.evaluation_ablation import ablation
from khub.dashboard.parts.evaluation.evaluation_gate import gate
from khub.dashboard.parts.evaluation.evaluation_runs import run_list
from khub.dashboard.parts.evaluation.evaluation_start import start_form
from khub.dashboard.parts.evaluation.evaluation_task import latest_task
from khub.dashboard.parts.evaluation.given_feedback import given_feedback
from khub.dashboard.parts.evaluation.golden_case import golden_case_form
from khub.dashboard.parts.evaluation.own_cases import own_cases
from khub.dashboard.parts.views import View, choose_view

CASES = "cases"
STARTED_FROM = {"start": "run", "ablation": "ablate"}  # view -> command of `khub eval` that is started from there


def _show() -> None:
    if not caller().sees_all:
        info("Only who may see all documents can see evaluations.", "只有能查看全部文档的人可以查看评测。")
        return
    if "trace" in st.query_params and "view" not in st.query_params:
        st.query_params["view"] = CASES
    view, show = choose_view(_views())
    if view != CASES:
        st.query_params.pop("trace", None)
    latest_task(STARTED_FROM.get(view))
    show()


def _views() -> dict[str, tuple[str, View]]:
    return {
        "runs": (t("Results", "结果"), run_list),
        "start": (t("Start", "开始评测"), start_form),
        CASES: (t("Golden set", "评测题"), _cases),
        "ablation": (t("Ablation", "消融实验"), ablation),
        "gate": (t("Gate", "质量门禁"), gate),
    }


def _cases() -> None:
    if trace := st.query_params.get("trace"):
        golden_case_form(trace)
    st.subheader(t("Feedback so far", "已有的评价"), anchor=False)
    given_feedback()
    st.subheader(t("Cases of this hub", "本知识库的评测题"), anchor=False)
    own_cases()


open_page(t("Evaluation", "评测"), _show, heading=t("How well it answers", "回答质量"))
