"""Query traces: what was asked, and what each stage made of it."""

import streamlit as st

from khub.dashboard.language import t
from khub.dashboard.page import open_page
from khub.dashboard.parts.address import show_address
from khub.dashboard.parts.evaluation.golden_case import golden_case_form
from khub.dashboard.parts.runs.ask_again import show_ask_again
from khub.dashboard.parts.runs.candidates import show_candidates
from khub.dashboard.parts.runs.chosen_run import chosen_run
from khub.dashboard.parts.runs.lost_document import show_lost
from khub.dashboard.parts.runs.model_calls import show_model_calls
from khub.dashboard.parts.runs.run_head import show_head
from khub.dashboard.parts.runs.run_list import show_runs
from khub.dashboard.parts.runs.stage_values import show_stage
from khub.dashboard.parts.runs.waterfall import show_waterfall
from khub.server.reads.opened_record import is_opened
from khub.server.traces.trace_record import TraceRecord

PAGE = "query_runs"
KINDS = ("query", "verify")


def _show() -> None:
    show_address()
    if "trace" not in st.query_params:
        show_runs(PAGE, KINDS)
    elif record := chosen_run(PAGE, KINDS):
        _show_run(record)


def _show_run(record: TraceRecord) -> None:
    opened = is_opened(record)
    show_head(record, opened)
    st.header(t("Stages", "各阶段"))
    show_waterfall(record)
    show_stage(record, opened)
    show_model_calls(record, opened)
    if record["kind"] != "query":
        return
    st.header(t("Passages by stage", "各阶段的段落"))
    show_candidates(record)
    st.header(t("Where was this document lost?", "这份文档在哪里落选？"))
    show_lost(record)
    st.header(t("Ask again", "重新提问"))
    show_ask_again(record)
    st.header(t("Add to the golden set", "加入评测集"))
    golden_case_form(str(record["trace_id"]))


open_page(t("Query traces", "提问记录"), _show)
