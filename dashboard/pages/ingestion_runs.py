"""Ingestion traces: which files were read, what became of each, and what each stage took."""

import streamlit as st

from khub.dashboard.language import t
from khub.dashboard.parts.runs.ingested_files import show_files
from khub.dashboard.parts.runs.run_page import open_run_page, show_stages
from khub.server.traces.trace_record import TraceRecord


def _show_run(record: TraceRecord, opened: bool) -> None:
    st.header(t("Files", "文件"))
    show_files(record, opened)
    show_stages(record, opened)


headings = t("What was ingested", "导入过的文件"), t("One ingest, stage by stage", "一次导入的全过程")
open_run_page("ingestion_runs", ("ingest",), t("Ingestion traces", "导入记录"), headings, _show_run)
