"""One job: how far it is while it runs, and what it did."""

import streamlit as st

from khub.components.catalog.job_progress import JobProgress
from khub.components.catalog.job_row import JobRow
from khub.components.catalog.jobs import ENDED
from khub.dashboard.changes import noted
from khub.dashboard.language import t
from khub.dashboard.page import part
from khub.dashboard.parts.file_names import file_name
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
    st.header(job_title(job), anchor=False)
    st.caption(plain(f"{job['graph'] or 'ingest'} · {job_id}"))
    if job["state"] in ENDED:
        show_result(job)
    else:
        part(_follow, run_every=LOOK_S)(job_id)


def _follow(job_id: str) -> None:
    job = job_of(job_id)
    if job["state"] in ENDED:  # shown here: a run of the whole page now would undo a click on another page
        show_result(job)
        return
    progress = job.get("progress") or {}
    stage = progress.get("stage")
    doing = t(f"at stage {plain(stage)}", f"当前阶段：{plain(stage)}") if stage else ""
    st.write(" · ".join(filter(None, (f"**{state_name(job['state'])}**", doing))))
    if job["state"] == "queued":
        st.caption(
            t(
                "It begins as soon as no other job works on this collection. You may close this page.",
                "该文档集没有其他任务在运行时即开始。可以关闭此页面。",
            )
        )
    _show_progress(job, progress)
    if may_write() and not job.get("door") and st.button(t("Cancel", "取消"), key="cancel job"):
        with noted("DELETE", f"/jobs/{job_id}"):
            cancel(job_id)
        st.rerun()


def _show_progress(job: JobRow, progress: JobProgress) -> None:
    if not progress:
        return
    done, total = progress["done"], progress["total"]
    unit = t("passages", "个段落") if job["kind"] == "reindex" else t("files", "个文件")
    st.progress(done / total if total else 1.0, text=f"{done:,} / {total:,} {unit}")
    if progress.get("failed"):
        st.caption(t(f"{progress['failed']:,} failed so far", f"目前失败 {progress['failed']:,} 个"))
    names = {
        "written": t("read", "已读取"),
        "unchanged": t("unchanged", "未变化"),
        "failed": t("failed", "失败"),
    }
    rows = [(source, t("at work", "处理中")) for source in progress.get("at_work") or ()]
    rows += [(source, names.get(became, became)) for source, became in progress.get("ended") or ()]
    if rows:
        columns = [
            {t("State", "状态"): state, t("File", "文件"): file_name(source, job["collection"])}
            for source, state in rows
        ]
        st.dataframe(columns, hide_index=True, width="stretch", alt=t("The files at work", "正在处理的文件"))
