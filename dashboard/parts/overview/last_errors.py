"""What went wrong lately: in the log, in runs, in jobs."""

from typing import Any

import streamlit as st

from khub.components.catalog.access import caller
from khub.dashboard.language import caption, t
from khub.dashboard.parts.file_facts import day
from khub.dashboard.parts.ingestion.job_list import show_job_rows
from khub.dashboard.parts.link import link_to
from khub.dashboard.plain_text import plain
from khub.server.jobs.known_jobs import known_jobs
from khub.server.traces.index import RunFilter, find_runs
from khub.server.traces.last_errors import last_errors

SHOWN = 10


def show_last_errors() -> None:
    """Show failed runs and jobs that the visitor may know; the log to who may see all of the hub."""
    st.header(t("Runs that failed", "失败的运行"), anchor=False)
    failed = find_runs(RunFilter(failed=True), 0, SHOWN).runs
    for run in failed:
        label = plain(f"{day(run.time)} · {run.kind} · {run.graph}")
        link_to("ingestion_runs" if run.kind == "ingest" else "query_runs", label, trace=run.trace_id)
        st.text(run.error or t(f"Files that failed: {run.failed_files:,}", f"失败的文件：{run.failed_files:,}"))
    _say_none(failed)
    st.header(t("Jobs that failed", "失败的任务"), anchor=False)
    _, jobs = known_jobs(("failed",), 0, SHOWN)
    show_job_rows(jobs)
    _say_none(jobs)
    if caller().sees_all:
        st.header(t("Warnings and errors of the log", "日志中的警告与错误"), anchor=False)
        entries = last_errors(SHOWN * 2)
        for entry in entries:
            st.caption(plain(f"{day(str(entry.get('time')))} · {entry.get('level')} · {entry.get('logger')}"))
            st.text(str(entry.get("message")))
            if entry.get("traceback"):
                with st.expander(t("Traceback", "调用栈")):
                    st.code(str(entry["traceback"]), language=None)
        _say_none(entries)


def _say_none(found: list[Any]) -> None:
    if not found:
        caption("None.", "无。")
