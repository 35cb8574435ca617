"""One job: how far it is while it runs, and what it did."""

import streamlit as st

from khub.components.catalog.job_row import JobRow
from khub.components.catalog.jobs import ENDED
from khub.dashboard.changes import noted
from khub.dashboard.language import caption, t
from khub.dashboard.page import part
from khub.dashboard.parts.ingestion.job_files import show_job_files
from khub.dashboard.parts.ingestion.job_result import show_result
from khub.dashboard.parts.ingestion.job_words import job_title, state_name
from khub.dashboard.parts.link import link_to
from khub.dashboard.plain_text import plain
from khub.dashboard.visitor import may_write
from khub.server.jobs.service_jobs import cancel, job_of

LOOK_S = 1.0


def show_job(job_id: str) -> None:
    """Show a job that the visitor may know.

    :raises KhubError: if there is none.
    """
    link_to("ingestion", t("← All jobs", "← 全部任务"), view="jobs")
    job = job_of(job_id)
    st.header(plain(job_title(job)), anchor=False)
    st.caption(plain(f"{t('graph', '流程图')} {job['graph'] or 'ingest'} · {t('job', '任务')} {job_id}"))
    if job["state"] in ENDED:
        show_result(job)
    else:
        part(_follow, run_every=LOOK_S)(job_id)


def _follow(job_id: str) -> None:
    job = job_of(job_id)
    if job["state"] in ENDED:  # shown here: a run of the whole page now would undo a click on another page
        show_result(job)
        return
    _show_progress(job)
    if job["state"] == "queued":
        caption(
            "It begins as soon as no other job works on this collection. You may close this page.",
            "该文档集没有其他任务在运行时即开始。可以关闭此页面。",
        )
    if may_write() and not job.get("door") and st.button(t("Cancel", "取消"), key="cancel job"):
        with noted("DELETE", f"/jobs/{job_id}"):
            cancel(job_id)
        st.rerun()
    show_job_files(job)


def _show_progress(job: JobRow) -> None:
    progress = job.get("progress") or {}
    done, total = progress.get("done", 0), progress.get("total", 0)
    unit = t("passages", "个段落") if job["kind"] == "reindex" else t("files", "个文件")
    at = progress.get("stage")
    stage = t(f"stage {plain(at)}", f"阶段 {plain(at)}") if at else ""
    failed = t(f"{progress['failed']:,} failed", f"失败 {progress['failed']:,} 个") if progress.get("failed") else ""
    told = [f"**{state_name(job['state'])}**", f"{done:,} / {total:,} {unit}" if progress else "", failed, stage]
    st.write(" · ".join(filter(None, told)))
    if progress:
        st.progress(done / total if total else 1.0)
