"""Query traces: what was asked, and what each stage made of it."""

import streamlit as st

from khub.dashboard.language import t
from khub.dashboard.parts.evaluation.golden_case import golden_case_form
from khub.dashboard.parts.runs.ask_again import show_ask_again
from khub.dashboard.parts.runs.candidates import show_candidates
from khub.dashboard.parts.runs.lost_document import show_lost
from khub.dashboard.parts.runs.run_page import open_run_page, show_stages
from khub.server.traces.trace_record import TraceRecord


def _show_run(record: TraceRecord, opened: bool) -> None:
    if record["kind"] != "query":
        show_stages(record, opened)
        return
    st.header(t("Where was this document lost?", "这份文档在哪里落选？"))
    show_lost(record)
    show_stages(record, opened)
    st.header(t("Passages by stage", "各阶段的段落"))
    show_candidates(record)
    st.header(t("Ask again", "重新提问"))
    show_ask_again(record)
    with st.expander(t("Add to evaluation", "加入评测集")):
        golden_case_form(str(record["trace_id"]))


headings = t("What was asked", "提过的问题"), t("One question, stage by stage", "一次提问的全过程")
open_run_page("query_runs", ("query", "verify"), t("Query traces", "提问记录"), headings, _show_run)
