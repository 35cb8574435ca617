"""What a job did that has ended, and what can be done then."""

import streamlit as st

from khub.components.catalog.job_result import JobResult
from khub.components.catalog.job_row import JobRow
from khub.dashboard.language import t, warning
from khub.dashboard.parts.file_names import file_name
from khub.dashboard.parts.ingestion.job_files import show_job_files
from khub.dashboard.parts.ingestion.job_words import outcome
from khub.dashboard.parts.ingestion.open_job import begin_jobs
from khub.dashboard.parts.link import link_to
from khub.dashboard.plain_text import plain
from khub.dashboard.visitor import may_write
from khub.server.http.asked_ingests import ask_again, failed_paths
from khub.server.reads.hub_reads import collections

MOST_TRACES = 10


def show_result(job: JobRow) -> None:
    """Show a job that has ended."""
    result = job.get("result") or {}
    st.write(" · ".join([outcome(job, "**"), *_more(result)]))
    if job.get("error"):
        st.error(plain(job["error"]))
    if job.get("remedy"):
        st.info(plain(job["remedy"]))
    _tell_of_gone(result, job["collection"])
    _show_next(job)
    show_job_files(job)
    _show_traces(job)


def _more(result: JobResult) -> list[str]:
    said = []
    if result.get("kept"):
        number = result["kept"]
        said.append(t(f"{number:,} kept that the folder leaves out", f"保留 {number:,} 个文件夹扫描未包含的文件"))
    if result.get("seconds") is not None:
        said.append(t("{:,.0f} seconds", "{:,.0f} 秒").format(result["seconds"]))
    return said


def _tell_of_gone(result: JobResult, collection: str) -> None:
    if not result.get("gone_and_kept"):
        return
    warning(
        "Documents whose file is gone were kept: they are most of the folder or all of a subfolder, and nobody "
        "agreed to lose them.",
        "部分文件已不存在，但占该文件夹的大部分或某个子文件夹的全部，且未经确认，因此保留了对应文档。",
    )
    for one in result.get("emptied", []):
        st.text(file_name(one, collection))


def _show_next(job: JobRow) -> None:
    """Show what is to be done now: ask about what is there, and try again what failed."""
    name = job["collection"]
    with st.container(horizontal=True, vertical_alignment="center"):
        is_there = name in collections().names()
        if is_there and st.button(t("Ask about them", "就此提问"), type="primary", icon=":material/search:", key="ask"):
            st.switch_page("pages/ask.py", query_params={"collection": name})
        if may_write() and (failed := failed_paths(job)):
            label = t(f"Try what failed again ({len(failed):,})", f"重试失败项 ({len(failed):,})")
            if st.button(label, icon=":material/refresh:", key="try again"):
                begin_jobs(f"/jobs/{job['job_id']}/again", lambda: [ask_again(job["job_id"])])
        if is_there:
            link_to("documents", t("Documents of this collection", "查看该文档集的文档"), collection=name)


def _show_traces(job: JobRow) -> None:
    traces = job.get("traces") or []
    if len(traces) == 1:
        link_to("ingestion_runs", t("Trace of the ingest", "导入记录"), trace=traces[0])
        return
    with st.container(horizontal=True):
        for number, trace in enumerate(traces[:MOST_TRACES], 1):
            label = t(f"Trace {number} of {len(traces)}", f"导入记录 {number}/{len(traces)}")
            link_to("ingestion_runs", label, trace=trace)
        if len(traces) > MOST_TRACES:
            link_to("ingestion_runs", t("All traces", "全部记录"), collection=job["collection"])
