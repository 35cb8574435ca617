"""Evaluation."""

import streamlit as st

from components.catalog.access import caller
from dashboard.language import t
from dashboard.page import open_page
from dashboard.parts.given_feedback import given_feedback
from dashboard.parts.golden_case import golden_case_form


def _show() -> None:
    if not caller().sees_all:
        st.info(t("Only who may see all documents can see evaluations.", "只有能查看全部文档的人可以查看评测。"))
        return
    if trace := st.query_params.get("trace"):
        st.header(t("Add to the golden set", "加入评测集"), anchor=False)
        golden_case_form(trace)
    st.header(t("Feedback so far", "已有的评价"), anchor=False)
    given_feedback()


open_page(t("Evaluation", "评测"), _show)
