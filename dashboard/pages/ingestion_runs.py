"""Ingestion traces: which files were read, what became of each, and what each stage took."""

import streamlit as st

from khub.dashboard.language import t
from khub.dashboard.page import open_page
from khub.dashboard.parts.address import show_address
from khub.dashboard.parts.runs.chosen_run import chosen_run
from khub.dashboard.parts.runs.ingested_files import show_files
from khub.dashboard.parts.runs.model_calls import show_model_calls
from khub.dashboard.parts.runs.run_head import show_head
from khub.dashboard.parts.runs.run_list import show_runs
from khub.dashboard.parts.runs.stage_values import show_stage
from khub.dashboard.parts.runs.waterfall import show_waterfall
from khub.server.reads.opened_record import is_opened
from khub.server.traces.trace_record import TraceRecord

PAGE = "ingestion_runs"
KINDS = ("ingest",)


def _show() -> None:
    show_address()
    if "trace" not in st.query_params:
        show_runs(PAGE, KINDS)
    elif record := chosen_run(PAGE, KINDS):
        _show_run(record)


def _show_run(record: TraceRecord) -> None:
    opened = is_opened(record)
    show_head(record, opened)
    st.header(t("Files", "文件"))
    show_files(record, opened)
    st.header(t("Stages", "各阶段"))
    show_waterfall(record)
    show_stage(record, opened)
    show_model_calls(record, opened)


open_page(t("Ingestion traces", "导入记录"), _show)
